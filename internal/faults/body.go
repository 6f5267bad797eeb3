package faults

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strings"
)

// restHash is the hash of a JSON object's members as they stand, names and
// values byte for byte and in their order, but for model and stream_options:
// what may differ between the body that a caller sent and the body that a
// gateway sends on. Blanks between members are left out, since a member that is
// put in or taken out moves them. It is empty for what is no JSON object.
func restHash(body []byte) string {
	sum := sha256.New()
	if err := hashRest(body, sum); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func hashRest(body []byte, sum hash.Hash) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for dec.More() {
		from := dec.InputOffset()
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, to := body[from:dec.InputOffset()], dec.InputOffset()
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if token == "model" || token == "stream_options" {
			continue
		}
		value = body[to:dec.InputOffset()]
		sum.Write(bytes.TrimLeft(name, ", \t\r\n"))
		sum.Write(bytes.TrimLeft(value, ": \t\r\n"))
		sum.Write([]byte{0})
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// fingerprint is how a secret is logged: enough to tell whether two are the
// same within a run, and of no use outside it.
func fingerprint(run, secret string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + secret))
	return hex.EncodeToString(sum[:8])
}

func bodyHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// prefill is the text of a last message that is the assistant's: the beginning
// of the answer, put in the model's mouth.
func prefill(body []byte) (string, bool) {
	var b struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &b) != nil || len(b.Messages) == 0 {
		return "", false
	}
	last := b.Messages[len(b.Messages)-1]
	return text(last.Content), last.Role == "assistant"
}

// text joins the text of a message's content.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text)
	}
	return all.String()
}
