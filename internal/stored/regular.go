package stored

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"weir.dev/weir"
)

// openFile opens a file of a folder. A named pipe, on which opening would wait for
// ever, a device or a folder is refused.
func openFile(dir, name string, how int) (*os.File, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &weir.Error{Code: "run_damaged", Message: fmt.Sprintf("%s is %s, no file", path, kindOf(info.Mode())), Hint: holds}
	}
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	f, err := os.OpenFile(path, how, 0)
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	return f, nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
