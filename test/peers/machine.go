//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine is what the measurement was made on, in one line.
func machine() string {
	return fmt.Sprintf("%s, %d CPUs, %s, load average %s", time.Now().UTC().Format("2006-01-02 15:04 MST"), runtime.NumCPU(), runtime.GOOS+"/"+runtime.GOARCH, loadAverage())
}

// loadAverage is that of the last 1, 5 and 15 minutes, where Linux tells it.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	f := strings.Fields(string(b))
	return strings.Join(f[:min(3, len(f))], " ")
}
