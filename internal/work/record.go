package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"weir.dev/weir/internal/request"
)

// Record is one request of a data set.
type Record struct {
	System       string            `json:"system,omitempty"`
	Messages     []request.Message `json:"messages"`                // the last one is the user's
	OutputTokens int               `json:"output_tokens,omitempty"` // wanted; 0: not said

	conversation, turn int
	more               bool // the next record is the next turn of this conversation
}

// Turns says which requests a conversation makes.
type Turns string

// The choices. In the records that are made the recorded answers stand for the
// model's.
const (
	TurnsDefault Turns = ""      // the last turn of messages, the first of ShareGPT's conversations
	FirstTurn    Turns = "first" // what the user says before the first answer
	LastTurn     Turns = "last"  // all of it, up to the user's last message
	EachTurn     Turns = "each"  // a session: one request for each message of the user that was answered, and the last
)

// ParseTurns reads first, last or each; nothing is TurnsDefault.
func ParseTurns(s string) (Turns, error) {
	all := []Turns{TurnsDefault, FirstTurn, LastTurn, EachTurn}
	if i := slices.Index(all, Turns(s)); i >= 0 {
		return all[i], nil
	}
	return "", bad(fmt.Sprintf("turns %q", s), "first, last or each")
}

// conversation is what a record of a file holds.
type conversation struct {
	system   []string
	messages []request.Message
	output   int
	shareGPT bool
}

type recordJSON struct {
	Messages      []json.RawMessage `json:"messages"`
	Prompt        *string           `json:"prompt"`
	Conversations []shareMessage    `json:"conversations"`
	Output        *int              `json:"output_tokens"`
}

type shareMessage struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// errSkip is a record that is well formed and of no use, as data sets in the
// wild have them.
var errSkip = errors.New("no use")

// parse reads a record of a file.
func (r *reader) parse(raw []byte) (conversation, error) {
	var j recordJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return conversation{}, plainJSON(err)
	}
	forms := 0
	for _, is := range []bool{j.Messages != nil, j.Prompt != nil, j.Conversations != nil} {
		if is {
			forms++
		}
	}
	if forms != 1 {
		return conversation{}, errors.New(`it has not one of "messages", "prompt" and "conversations"`)
	}
	var c conversation
	if j.Output != nil {
		if *j.Output < 1 || *j.Output > maxTokens {
			return c, fmt.Errorf("output_tokens is %d, not 1 to %d", *j.Output, maxTokens)
		}
		c.output = *j.Output
	}
	switch {
	case j.Conversations != nil:
		return c, c.addShareGPT(j.Conversations)
	case j.Prompt != nil && *j.Prompt == "":
		return c, errors.New("the prompt is empty")
	case j.Prompt != nil:
		c.messages = []request.Message{user(*j.Prompt)}
		return c, nil
	}
	for i, raw := range j.Messages {
		if err := r.addMessage(&c, raw); err != nil {
			return c, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if lastUser(c.messages) < 0 {
		return c, errors.New("no message of the user")
	}
	return c, nil
}

func lastUser(m []request.Message) int {
	for i, one := range slices.Backward(m) {
		if one.Role == request.RoleUser {
			return i
		}
	}
	return -1
}

// addShareGPT leaves out what comes before the user's first message.
func (c *conversation) addShareGPT(list []shareMessage) error {
	c.shareGPT = true
	for _, m := range list {
		var role string
		switch m.From {
		case "human", "user":
			role = request.RoleUser
		case "gpt", "assistant", "chatgpt", "bing", "bard", "model":
			role = request.RoleAssistant
		case "system":
			if len(c.messages) == 0 && m.Value != "" {
				c.system = append(c.system, m.Value)
			}
			continue
		default:
			return fmt.Errorf("%w: a message from %q", errSkip, m.From)
		}
		if m.Value == "" {
			return fmt.Errorf("%w: an empty message", errSkip)
		}
		if role == request.RoleAssistant && len(c.messages) == 0 {
			continue
		}
		c.messages = append(c.messages, request.Message{Role: role, Text: m.Value})
	}
	if len(c.messages) == 0 {
		return fmt.Errorf("%w: no message of the user", errSkip)
	}
	return nil
}

type messageJSON struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (r *reader) addMessage(c *conversation, raw []byte) error {
	var j messageJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return plainJSON(err)
	}
	text, images, err := r.content(j.Content)
	if err != nil {
		return err
	}
	switch j.Role {
	case "system", "developer":
		if len(c.messages) > 0 || len(images) > 0 {
			return errors.New("what the system says must come first and be text")
		}
		c.system = append(c.system, text)
		return nil
	case request.RoleUser, request.RoleAssistant:
	default:
		return fmt.Errorf("the role %q; system, user and assistant are known", j.Role)
	}
	if j.Role == request.RoleAssistant && len(images) > 0 {
		return errors.New("an image in an answer")
	}
	c.messages = append(c.messages, request.Message{Role: j.Role, Text: text, Images: images})
	return nil
}

type partJSON struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	ImageURL json.RawMessage `json:"image_url"` // OpenAI's: {"url": ...}, or a text
	Source   struct {        // Anthropic's
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
}

// content reads a text, or a list of parts.
func (r *reader) content(raw json.RawMessage) (text string, images []string, err error) {
	if len(raw) > 0 && raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
	} else {
		var parts []partJSON
		if err = json.Unmarshal(raw, &parts); err != nil || parts == nil {
			return "", nil, errors.New("content is neither a text nor a list of parts")
		}
		var texts []string
		for i, p := range parts {
			if p.Type == "text" || p.Type == "input_text" {
				texts = append(texts, p.Text)
				continue
			}
			u, err := r.image(p)
			if err != nil {
				return "", nil, fmt.Errorf("content[%d]: %w", i, err)
			}
			images = append(images, u)
		}
		text = strings.Join(texts, "\n")
	}
	if err == nil && text == "" && len(images) == 0 {
		err = errors.New("content is empty")
	}
	return text, images, err
}

func (r *reader) image(p partJSON) (string, error) {
	var name string
	switch {
	case p.Type == "image_url" || p.Type == "input_image":
		var nested struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(p.ImageURL, &name) != nil && json.Unmarshal(p.ImageURL, &nested) != nil {
			return "", errors.New("image_url is neither a text nor an object with a url")
		}
		if name == "" {
			name = nested.URL
		}
	case p.Type == "image" && p.Source.Type == "base64":
		name = dataURL(p.Source.MediaType, p.Source.Data)
	case p.Type == "image" && p.Source.Type == "url":
		name = p.Source.URL
	default:
		return "", fmt.Errorf("a part of type %q; text, image_url and image are known", p.Type)
	}
	if u, known := r.images[name]; known {
		return u, nil
	}
	u, err := LoadImage(name, r.o.Open)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(u, "data:") {
		r.size += len(u)
	}
	r.images[name] = u
	return u, nil
}

// requests are the records that a conversation makes.
func (c *conversation) requests(t Turns) []Record {
	if t == TurnsDefault {
		t = LastTurn
		if c.shareGPT {
			t = FirstTurn
		}
	}
	last := lastUser(c.messages)
	var ends []int // the user's messages that an answer follows, and the last
	for i, m := range c.messages[:last+1] {
		if m.Role == request.RoleUser && (i == last || c.messages[i+1].Role == request.RoleAssistant) {
			ends = append(ends, i)
		}
	}
	switch t {
	case FirstTurn:
		ends = ends[:1]
	case LastTurn:
		ends = ends[len(ends)-1:]
	}
	var out []Record
	for turn, end := range ends {
		out = append(out, Record{
			System: strings.Join(c.system, "\n\n"), Messages: c.messages[: end+1 : end+1],
			OutputTokens: c.outputAfter(end), turn: turn, more: turn+1 < len(ends),
		})
	}
	return out
}

// outputAfter is the length the record asks for, or about that of the answer it
// has.
func (c *conversation) outputAfter(end int) int {
	if c.output > 0 || end+1 >= len(c.messages) {
		return c.output
	}
	const charsPerToken = 4
	return max(1, (utf8.RuneCountInString(c.messages[end+1].Text)+charsPerToken-1)/charsPerToken)
}

// plainJSON words the errors of encoding/json for whoever wrote the file.
func plainJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("it is %s, not an object", wrong.Value)
		}
		return fmt.Errorf("%s is %s, which it cannot be", wrong.Field, wrong.Value)
	}
	return fmt.Errorf("not JSON: %w", err)
}
