package request

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// content is the text of a message: a string, a list of strings, or a list of
// parts of which those with a text count. Token ids count as a word each.
type content struct {
	present bool
	parts   []Part
}

// charsPerToken is the usual guess for English text.
const charsPerToken = 4

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	c.present = true
	switch b[0] {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		c.parts = append(c.parts, Part{Text: s})
		return nil
	case '[':
		return c.addList(b, 1)
	}
	return errors.New("content is neither a text nor a list")
}

func (c *content) addList(b []byte, depth int) error {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	var ids strings.Builder
	for _, item := range list {
		switch item[0] {
		case '[':
			if depth == 0 { // no dialect has lists in lists in lists
				return errors.New("content is nested too deep")
			}
			if err := c.addList(item, depth-1); err != nil {
				return err
			}
		case '"':
			if err := c.UnmarshalJSON(item); err != nil {
				return err
			}
		case '{':
			if err := c.addPart(item); err != nil {
				return err
			}
		default:
			ids.WriteString(wordOf(item))
		}
	}
	if ids.Len() > 0 {
		c.parts = append(c.parts, Part{Text: ids.String()})
	}
	return nil
}

// wordOf stands for a token id: charsPerToken characters, for each id its own.
func wordOf(id []byte) string {
	const first, count = 0x10000, 0x100000 // past the surrogates
	n, _ := strconv.Atoi(string(id))
	return string(rune(first+max(0, n)%count)) + strings.Repeat(" ", charsPerToken-1)
}

func (c *content) addPart(b []byte) error {
	var part struct {
		Text  any `json:"text"`
		Cache *struct {
			TTL string `json:"ttl"`
		} `json:"cache_control"`
	}
	if err := json.Unmarshal(b, &part); err != nil {
		return err
	}
	text, _ := part.Text.(string)
	marked := part.Cache != nil
	if text != "" || marked {
		c.parts = append(c.parts, Part{Text: text, Marked: marked, Hour: marked && part.Cache.TTL == "1h"})
	}
	return nil
}
