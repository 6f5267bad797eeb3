package engine

import "container/list"

// hostTier is host memory that keeps what KV blocks held when they were handed
// out again, least recently kept first out. A nil tier keeps nothing.
type hostTier struct {
	room  int // blocks
	order *list.List
	at    map[Hash]*list.Element
}

// newHostTier holds so many blocks; nil for none.
func newHostTier(blocks int) *hostTier {
	if blocks < 1 {
		return nil
	}
	return &hostTier{room: blocks, order: list.New(), at: make(map[Hash]*list.Element)}
}

func (t *hostTier) keep(name Hash) {
	if t == nil {
		return
	}
	if e, ok := t.at[name]; ok {
		t.order.MoveToBack(e)
		return
	}
	if t.order.Len() == t.room {
		oldest := t.order.Front()
		delete(t.at, oldest.Value.(Hash))
		t.order.Remove(oldest)
	}
	t.at[name] = t.order.PushBack(name)
}

func (t *hostTier) has(name Hash) bool {
	if t == nil {
		return false
	}
	_, ok := t.at[name]
	return ok
}
