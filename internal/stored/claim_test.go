package stored

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"weir.dev/weir/internal/report"
)

// TestClaim: a folder has one writer, whoever it is; its end, and a lock that a
// killed process left, hold nobody up.
func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := Create(dir, "v0.0.0-test", settings())
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewClaim(dir)
	refused(t, err, "run_busy", fmt.Sprintf("process %d writes to the folder %s", os.Getpid(), dir))
	if _, err := Open(dir); err != nil {
		t.Errorf("reading needs no claim: %v", err)
	}
	if err := f.Close(nil, nil); err != nil {
		t.Fatal(err)
	}
	if exists(dir, LockFile) {
		t.Error("the lock's file is still there")
	}
	if err := os.WriteFile(filepath.Join(dir, LockFile), []byte("\x004294967294          \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	claim, err := NewClaim(dir)
	if err != nil {
		t.Fatalf("a lock that nobody holds: %v", err)
	}
	if f, err = Continue(claim); err != nil {
		t.Fatal(err)
	}
	_, err = NewClaim(dir)
	refused(t, err, "run_busy", fmt.Sprintf("process %d writes", os.Getpid()))
	if err := f.Close(nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := claim.Release(); err != nil {
		t.Errorf("released twice: %v", err)
	}
}

func TestClaimOfASweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	f, err := CreateSweep(dir, "v0.0.0-test", report.OverRate, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewClaim(dir)
	refused(t, err, "run_busy", "writes to the folder")
	if err := f.Close(nil); err != nil || exists(dir, LockFile) {
		t.Errorf("%v", err)
	}
}

// TestClaimOfAKilledProcess: the system gives its locks up.
func TestClaimOfAKilledProcess(t *testing.T) {
	if dir := os.Getenv("WEIR_TEST_CLAIM"); dir != "" {
		if _, err := NewClaim(dir); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("claimed")
		select {}
	}
	dir := t.TempDir()
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestClaimOfAKilledProcess$")
	other.Env = append(os.Environ(), "WEIR_TEST_CLAIM="+dir)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "claimed\n" {
		t.Fatalf("%q", line)
	}
	_, err = NewClaim(dir)
	refused(t, err, "run_busy", fmt.Sprintf("process %d writes", other.Process.Pid))
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	claim, err := NewClaim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.Release(); err != nil {
		t.Error(err)
	}
}
