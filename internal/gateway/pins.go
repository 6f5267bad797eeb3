package gateway

import (
	"sync"

	"weir.dev/weir"
	"weir.dev/weir/internal/splice"
)

// pins remembers which target made a response, since previous_response_id is
// known there and nowhere else. The oldest are forgotten first.
type pins struct {
	mu    sync.Mutex
	most  int
	made  map[string]string // response id to target
	order []string          // ids, a ring once it is full
	next  int
}

func (p *pins) limit(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[string]string{}
	}
	if n < len(p.order) { // a smaller ring begins anew
		p.made, p.order, p.next = map[string]string{}, nil, 0
	}
	p.most = n
}

func (p *pins) add(id, target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.made[id]; known || id == "" || len(id) > maxPin {
		return
	}
	if len(p.order) < p.most {
		p.order = append(p.order, id)
	} else {
		delete(p.made, p.order[p.next])
		p.order[p.next] = id
		p.next = (p.next + 1) % len(p.order)
	}
	p.made[id] = target
}

// maxPin bounds an id that is remembered.
const maxPin = 256

// target made the response; empty if it is not known.
func (p *pins) target(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made[id]
}

// pinResponse remembers who made a response, for requests that go on from it.
func (a *attempt) pinResponse(response []byte) {
	if a.dialect != weir.OpenAIResponses || !a.passes(a.target) {
		return
	}
	var o splice.Object
	if splice.Scan(response, &o, "id") == nil {
		id, _ := o.String("id")
		a.server.pins.add(id, a.target.Name)
	}
}

// pinStream does so for the first event of a stream.
func (a *attempt) pinStream(event []byte) {
	if a.dialect != weir.OpenAIResponses {
		return
	}
	var o splice.Object
	if splice.Scan(event, &o, "response") == nil {
		if response, ok := o.Raw("response"); ok {
			a.pinResponse(response)
		}
	}
}
