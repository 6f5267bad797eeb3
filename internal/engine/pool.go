package engine

import "slices"

// pool is the KV memory: blocks of tokens, given out, shared and taken back.
// Every operation is O(1) per block.
//
// A block that nobody uses is in the free list and may still have a name: its
// content can be found again until the block is handed out. The list is in
// order of use, oldest first, and a sequence's blocks go in from the last to
// the first, so that the tail of a prompt is lost before its head.
type pool struct {
	size     int // tokens of a block
	blocks   []block
	ends     [2]int32 // oldest and newest free block, or none
	free     int
	promised int            // free blocks set aside for admitted sequences
	known    map[Hash]int32 // nil: no prefix cache
	host     *hostTier      // nil: no offload
}

type block struct {
	users      int32
	named      bool
	name       Hash
	prev, next int32 // in the free list
}

const none = -1

func newPool(blocks, size int, cache bool, host *hostTier) *pool {
	p := &pool{size: size, blocks: make([]block, blocks), ends: [2]int32{none, none}, host: host}
	if cache {
		p.known = make(map[Hash]int32)
	}
	for i := range p.blocks {
		p.release(int32(i))
	}
	return p
}

// release puts a block at the newest end of the free list.
func (p *pool) release(id int32) {
	b := &p.blocks[id]
	b.prev, b.next = p.ends[1], none
	if b.prev == none {
		p.ends[0] = id
	} else {
		p.blocks[b.prev].next = id
	}
	p.ends[1] = id
	p.free++
}

// unlink takes a block out of the free list.
func (p *pool) unlink(id int32) {
	b := &p.blocks[id]
	if b.prev == none {
		p.ends[0] = b.next
	} else {
		p.blocks[b.prev].next = b.next
	}
	if b.next == none {
		p.ends[1] = b.prev
	} else {
		p.blocks[b.next].prev = b.prev
	}
	p.free--
}

// take hands out the oldest free block and forgets what it held. There must be one.
func (p *pool) take() int32 {
	id := p.ends[0]
	p.unlink(id)
	b := &p.blocks[id]
	if b.named {
		b.named = false
		if p.known[b.name] == id {
			delete(p.known, b.name)
			p.host.keep(b.name)
		}
	}
	b.users = 1
	return id
}

// find lists the blocks that hold the beginning of a sequence: ids, or none
// where host memory has it. At least one token is left to compute.
func (p *pool) find(q *sequence, found []int32) []int32 {
	found = found[:0]
	if p.known == nil {
		return found
	}
	most := q.known() - 1
	for i := range min(most, q.MostCached.Or(most)) / p.size {
		id, ok := p.known[q.name(i)]
		switch {
		case ok:
		case p.host.has(q.name(i)):
			id = none
		default:
			return found
		}
		found = append(found, id)
	}
	return found
}

// admit gives a sequence the blocks that were found and room for so many tokens
// in all, and sets aside up to ceiling blocks for its future. It changes
// nothing if there is no room. loaded is how many blocks come from host memory.
func (p *pool) admit(q *sequence, found []int32, tokens, ceiling int) (loaded int, ok bool) {
	need := max(blocksFor(tokens, p.size), ceiling)
	for _, id := range found {
		if id != none && p.blocks[id].users > 0 {
			need-- // shared with a running sequence; all others are, or come out of, free ones
		}
	}
	if need > p.free-p.promised {
		return 0, false
	}
	// Those found in free blocks go first: take must not hand them out.
	for _, id := range found {
		if id == none {
			continue
		}
		if p.blocks[id].users == 0 {
			p.unlink(id)
		}
		p.blocks[id].users++
	}
	for i, id := range found {
		if id == none {
			id = p.take()
			p.label(id, q.name(i))
			loaded++
		}
		q.blocks = append(q.blocks, id)
	}
	q.named = len(found)
	for len(q.blocks) < blocksFor(tokens, p.size) {
		q.blocks = append(q.blocks, p.take())
	}
	q.promised = max(0, ceiling-len(q.blocks))
	p.promised += q.promised
	return loaded, true
}

// grow makes room for so many tokens in all, or changes nothing.
func (p *pool) grow(q *sequence, tokens int) bool {
	more := blocksFor(tokens, p.size) - len(q.blocks)
	if more <= 0 {
		return true
	}
	kept := min(more, q.promised)
	if more-kept > p.free-p.promised {
		return false
	}
	q.promised -= kept
	p.promised -= kept
	for range more {
		q.blocks = append(q.blocks, p.take())
	}
	return true
}

// publish names the full blocks of the first tokens of a sequence, so that
// others find them.
func (p *pool) publish(q *sequence, tokens int) {
	if p.known == nil {
		return
	}
	for ; q.named < tokens/p.size; q.named++ {
		p.label(q.blocks[q.named], q.name(q.named))
	}
}

// label names a block, unless another one holds the same.
func (p *pool) label(id int32, name Hash) {
	if _, twice := p.known[name]; twice {
		return
	}
	p.known[name] = id
	p.blocks[id].named, p.blocks[id].name = true, name
}

// drop takes back all that a sequence has.
func (p *pool) drop(q *sequence) {
	for _, id := range slices.Backward(q.blocks) {
		p.blocks[id].users--
		if p.blocks[id].users == 0 {
			p.release(id)
		}
	}
	p.promised -= q.promised
	q.blocks, q.named, q.promised = q.blocks[:0], 0, 0
}
