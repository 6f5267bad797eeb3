package dialect

// piece is one bit of output in an event. raw is the inside of a JSON string,
// or any JSON value where literal is set (arguments sent as an object).
type piece struct {
	raw     []byte
	toolID  []byte
	choice  int32
	tool    int32 // the call's index; noIndex where none was sent
	channel Channel
	esc     bool
	literal bool
	hosted  bool // a call that the provider itself answers
}

const noIndex = -1

// choiceNote is what an event said of one choice beyond its output.
type choiceNote struct {
	index  int32
	finish []byte // raw; empty if none
}

// counters are an event's usage; -1 is "not in it".
type counters struct {
	prompt, cached, cacheWrite, completion, reasoning, total int
	hits, input                                              int // parts that some dialects leave to the reader to add up
}

var noCounters = counters{-1, -1, -1, -1, -1, -1, -1, -1}

func (c counters) any() bool {
	return c.prompt >= 0 || c.cached >= 0 || c.cacheWrite >= 0 || c.completion >= 0 || c.reasoning >= 0 || c.total >= 0
}

// record is all that one event said. It points into the event's bytes, and it
// is applied only once the event has proved to be whole: a broken event adds
// nothing.
type record struct {
	pieces  []piece
	choices []choiceNote
	usage   counters
	seed    bool // the usage is message_start's: its output count is no count

	role, done bool
	broken     bool
	fail       []byte // the error in the event, raw JSON
	id         []byte
	model      []byte
	print      []byte // system_fingerprint
	provider   []named
	mark       int  // where a delta's content string begins; 0 if there was none
	envelope   bool // the event has the dialect's own form, not just any JSON
}

type named struct {
	name string
	raw  []byte
}

func (r *record) reset() {
	*r = record{pieces: r.pieces[:0], choices: r.choices[:0], provider: r.provider[:0], usage: noCounters}
}

// maxChoices and maxTools bound what a server can make the reader remember.
const (
	maxChoices = 128
	maxTools   = 1024
)

func (r *record) add(p piece) {
	if len(p.raw) > 0 {
		r.pieces = append(r.pieces, p)
	}
}

func (r *record) text(ch Channel, choice int32, raw []byte, esc bool) {
	r.add(piece{raw: raw, esc: esc, channel: ch, choice: choice, tool: noIndex})
}

// finish notes that a choice was there and how it ended, if it did.
func (r *record) finish(choice int32, raw []byte) {
	r.choices = append(r.choices, choiceNote{choice, raw})
}
