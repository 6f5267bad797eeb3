package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// pack is what is needed of the npm package.
type pack struct {
	version, date string
	copyright     string
	script        string // dist/index.js, whose first statement is the data
}

func unpack(r io.Reader) (pack, error) {
	const script, licence, manifest = "package/dist/index.js", "package/LICENSE", "package/package.json"
	files := map[string]string{script: "", licence: "", manifest: ""}
	z, err := gzip.NewReader(r)
	if err != nil {
		return pack{}, fmt.Errorf("unpack: %w", err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return pack{}, fmt.Errorf("unpack: %w", err)
		}
		if _, wanted := files[h.Name]; wanted {
			b, err := io.ReadAll(io.LimitReader(t, 64<<20))
			if err != nil {
				return pack{}, fmt.Errorf("unpack %s: %w", h.Name, err)
			}
			files[h.Name] = string(b)
		}
	}
	for name, text := range files {
		if text == "" {
			return pack{}, fmt.Errorf("the package has no %s any more; look where its data went, then change tools/prices/pack.go", name)
		}
	}
	var m struct{ License string }
	if err := json.Unmarshal([]byte(files[manifest]), &m); err != nil {
		return pack{}, fmt.Errorf("read package.json: %w", err)
	}
	if m.License != "MIT" {
		return pack{}, fmt.Errorf("the licence is now %q, it was MIT: read it before taking anything", m.License)
	}
	p := pack{script: files[script]}
	for line := range strings.Lines(files[licence]) {
		if strings.HasPrefix(line, "Copyright") {
			p.copyright = strings.TrimSpace(line)
		}
	}
	if p.copyright == "" {
		return pack{}, errors.New("the LICENSE has no line that begins with Copyright")
	}
	return p, nil
}
