//go:build linux

package soak

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	length  = flag.Duration("soak", 20*time.Second, "how long the soak takes")
	crowd   = flag.Int("callers", 24, "of the soak, at a time")
	seed    = flag.Uint64("seed", 0, "of what happens; 0: another one each time")
	aborted = flag.Int("aborted", 1000, "streams that are left in their middle")
)

// bin is the command under test.
var bin = os.Getenv("WEIR_BIN")

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	os.Exit(func() int {
		if bin != "" {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "weir-soak-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		bin = filepath.Join(dir, "weir")
		build := exec.Command("go", "build", "-o", bin, "./cmd/weir")
		build.Dir = "../.."
		if said, err := build.CombinedOutput(); err != nil {
			panic(string(said))
		}
		return m.Run()
	}())
}

func loadAverage() string {
	b, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(b))
	return strings.Join(f[:min(3, len(f))], " ")
}
