//go:build real

package real

import (
	"os"
	"testing"

	"weir.dev/weir/test/callers"
	"weir.dev/weir/test/server"
)

// TestPythonCallers holds weir gateway against the clients for Python.
func TestPythonCallers(t *testing.T) {
	callers.Run(t, python(t), callers.Python())
}

// TestPythonCallersEngine does so with the real engine behind the gateway.
func TestPythonCallersEngine(t *testing.T) {
	envFile := os.Getenv("WEIR_REAL_ENV")
	if envFile == "" {
		t.Fatal("WEIR_REAL_ENV must be set (install.sh writes it): run `make real`")
	}
	base, _ := startEngine(t, envFile)
	callers.RunEngine(t, python(t), callers.Python(), base)
}

func python(t *testing.T) callers.Driver {
	t.Helper()
	envFile := os.Getenv("WEIR_CALLERS_ENV")
	if envFile == "" || os.Getenv("WEIR_BIN") == "" {
		t.Fatal("WEIR_CALLERS_ENV (callers.sh writes it) and WEIR_BIN must be set: run `make real`")
	}
	env, err := server.ReadEnv(envFile, "PYTHON")
	if err != nil {
		t.Fatal(err)
	}
	return callers.Command(env["PYTHON"], "-B", "callers.py")
}
