package gateway

import (
	"sync"

	"weir.dev/weir"
	"weir.dev/weir/internal/splice"
)

// pins remembers which target made a response, since previous_response_id is
// known there and nowhere else, and for whom: another tenant must not go on from
// it. The oldest are forgotten first.
type pins struct {
	mu    sync.Mutex
	most  int
	made  map[string]pin // by response id
	order []string       // ids, a ring once it is full
	next  int
}

// pin is a response's target and the name of the key it was made for.
type pin struct{ target, tenant string }

func (p *pins) limit(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[string]pin{}
	}
	if n < len(p.order) { // a smaller ring begins anew
		p.made, p.order, p.next = map[string]pin{}, nil, 0
	}
	p.most = n
}

func (p *pins) add(id string, made pin) {
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
	p.made[id] = made
}

// maxPin bounds an id that is remembered.
const maxPin = 256

// of a response; zero if it is not known.
func (p *pins) of(id string) pin {
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
		a.server.pins.add(id, pin{a.target.Name, a.tenant.Name()})
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
