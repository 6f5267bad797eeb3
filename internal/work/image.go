package work

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"weir.dev/weir/internal/request"
)

// Opener opens a file that a data set names. It decides what may be read: data
// sets come from the net.
type Opener func(name string) (io.ReadCloser, error)

// maxImage is the most bytes of one image; no API takes more.
const maxImage = 20 << 20

// LoadImage makes of a URL or a file's name the URL that a message takes. Files
// are read with open and must be PNG, JPEG, GIF or WebP; nil opens none.
func LoadImage(name string, open Opener) (string, error) {
	switch {
	case name == "":
		return "", bad("an image without a name", "a URL or a file")
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return name, nil
	case strings.HasPrefix(name, "data:"):
		return name, checkData(name)
	}
	if open == nil {
		return "", bad(fmt.Sprintf("image %q", name), "a URL; files are not read here")
	}
	f, err := open(strings.TrimPrefix(name, "file://"))
	if err != nil {
		return "", fmt.Errorf("image %q: %w", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxImage+1))
	if err != nil {
		return "", fmt.Errorf("image %q: %w", name, err)
	}
	if len(b) > maxImage {
		return "", bad(fmt.Sprintf("image %q", name), fmt.Sprintf("at most %d MiB", maxImage>>20))
	}
	media := imageType(b)
	if media == "" {
		return "", bad(fmt.Sprintf("file %q is no image", name), "PNG, JPEG, GIF or WebP")
	}
	return dataURL(media, base64.StdEncoding.EncodeToString(b)), nil
}

func dataURL(media, base64 string) string { return "data:" + media + ";base64," + base64 }

func checkData(u string) error {
	_, data, ok := request.CutImage(u)
	what := fmt.Sprintf("image %.40q", u)
	if !ok {
		return bad(what, "data:image/png;base64,...")
	}
	if len(data) > base64.StdEncoding.EncodedLen(maxImage) {
		return bad(what, fmt.Sprintf("at most %d MiB", maxImage>>20))
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))); err != nil {
		return bad(what, "what follows the comma is not base64")
	}
	return nil
}

// imageType is told by the first bytes; empty for anything else.
func imageType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	case len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && string(b[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}
