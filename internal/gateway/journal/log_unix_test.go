//go:build unix

package journal_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"weir.dev/weir/internal/gateway/journal"
)

// A file that takes nothing, as a pipe whose reader sleeps, makes no request
// wait; what it missed is counted.
func TestNoRequestWaitsForTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // so that opening it does not wait either
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, journal.Options{Path: path, Buffer: 16})
	const n = 5000 // of about 1 KB: far more than a pipe holds
	for i := range n {
		l.Add(&journal.Record{ID: fmt.Sprint(i)})
	}
	if _, ok := l.Get(fmt.Sprint(n - 1)); !ok || l.Dropped() == 0 {
		t.Errorf("%d dropped", l.Dropped())
	}
	read := make(chan uint64)
	go func() {
		defer reader.Close()
		count := uint64(0)
		for lines := bufio.NewScanner(reader); lines.Scan() && lines.Text() != "end"; {
			count++
		}
		read <- count
	}()
	l.Close()
	fmt.Fprintln(reader, "end")
	if got := <-read + l.Dropped(); got != n {
		t.Errorf("%d read or counted, want %d", got, n)
	}
}
