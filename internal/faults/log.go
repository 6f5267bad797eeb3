package faults

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"weir.dev/weir"
)

// LogVersion is that of the wall's log.
const LogVersion = 1

// Attempt is one request that the wall was sent, and what became of it. No
// prompt and no secret is in it, only their sizes and hashes.
type Attempt struct {
	N       int64     `json:"n"`       // from 1, in order of arrival
	At      time.Time `json:"at"`      // when its body had arrived
	Run     string    `json:"run"`     // of the driver's mark; empty without one
	Cell    string    `json:"cell"`    // of the mark: what is being tested
	Variant string    `json:"variant"` // of the mark: in which case
	Fault   string    `json:"fault"`   // of the model's name; empty: asked for a healthy model

	Model       string       `json:"model"`
	Dialect     weir.Dialect `json:"dialect"`
	Protocol    string       `json:"protocol"` // HTTP/1.1 or HTTP/2.0
	Stream      bool         `json:"stream"`
	AsksUsage   bool         `json:"asks_usage"`
	Prefill     bool         `json:"prefill"`      // the last message is the assistant's
	PromptChars int          `json:"prompt_chars"` // of all text in the prompt
	BodyBytes   int          `json:"body_bytes"`
	BodySHA256  string       `json:"body_sha256"`
	RestSHA256  string       `json:"rest_sha256"` // of the body's members but model and stream_options; empty: no JSON object
	Idempotency string       `json:"idempotency_key"`
	Credentials []Credential `json:"credentials"`

	Status     weir.Opt[int] `json:"status"`            // of the answer; null: no head was sent
	Tokens     int           `json:"tokens"`            // of Text that were sent
	Bytes      int64         `json:"bytes"`             // of the answer's body
	Prompt     weir.Opt[int] `json:"prompt_tokens"`     // as the answer reported them
	Completion weir.Opt[int] `json:"completion_tokens"` // likewise
	Ended      weir.Span     `json:"ended_ms"`          // after At; null while it is under way
	CallerLeft bool          `json:"caller_left"`       // before the answer's end
}

// Credential is a header (or the query's key) that holds a secret.
type Credential struct {
	Header string `json:"header"`
	SHA256 string `json:"sha256"`  // of run and secret, 16 hexadecimal digits
	KeyFor string `json:"key_for"` // NAME where the secret is wall-key-NAME
}

// Log is what the wall was asked.
type Log struct {
	Version  int       `json:"version"`
	Now      time.Time `json:"now"`     // the wall's clock
	Dropped  int64     `json:"dropped"` // older attempts that no longer fit
	Attempts []Attempt `json:"attempts"`
}

// logbook keeps the newest attempts.
type logbook struct {
	limit int

	mu      sync.Mutex
	kept    []*Attempt
	count   int64
	dropped int64
}

// begin enters an attempt; what happens to it is told by change.
func (b *logbook) begin(a Attempt) *Attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	a.N = b.count
	if len(b.kept) >= b.limit {
		b.dropped++
		b.kept = slices.Delete(b.kept, 0, 1)
	}
	b.kept = append(b.kept, &a)
	return &a
}

func (b *logbook) change(a *Attempt, f func(*Attempt)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(a)
}

// read copies the attempts of a run, or all for an empty one.
func (b *logbook) read(run string, now time.Time) Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := Log{Version: LogVersion, Now: now, Dropped: b.dropped, Attempts: []Attempt{}}
	for _, a := range b.kept {
		if run == "" || a.Run == run {
			l.Attempts = append(l.Attempts, *a)
		}
	}
	return l
}

func (w *Wall) serveLog(rw http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(w.log.read(r.URL.Query().Get("run"), w.clock.Now()))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(rw, http.StatusOK, body)
}
