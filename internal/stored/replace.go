package stored

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// replace writes a file of the folder in one step: where that fails, on a full
// disk for example, what was there before stays as it was.
func replace(dir, name string, write func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	buffered := bufio.NewWriter(file)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		_ = os.Remove(path + ".new")
		return fmt.Errorf("run folder: %s: %w", name, err)
	}
	return nil
}

func writePage(dir string, page func(io.Writer) error) error {
	if page == nil {
		return nil
	}
	return replace(dir, PageFile, page)
}

func writeJSON(dir, name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return replace(dir, name, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}
