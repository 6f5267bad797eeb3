package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// checkPool holds the pool's books against what the sequences have.
func checkPool(t fataler, p *pool, held []*sequence) {
	t.Helper()
	users, promised := make([]int32, len(p.blocks)), 0
	for _, q := range held {
		promised += q.promised
		for _, id := range q.blocks {
			users[id]++
		}
	}
	free := map[int32]bool{}
	for id := p.ends[0]; id != none; id = p.blocks[id].next {
		if free[id] {
			t.Fatalf("block %d is in the free list twice", id)
		}
		free[id] = true
	}
	used := 0
	for id, b := range p.blocks {
		if b.users != users[id] || (b.users == 0) != free[int32(id)] {
			t.Fatalf("block %d: %d users, %d sequences have it, free %v", id, b.users, users[id], free[int32(id)])
		}
		if b.users > 0 {
			used++
		}
		if at, ok := p.known[b.name]; b.named && (!ok || at != int32(id)) {
			t.Fatalf("block %d is named %x, which is found at %d (%v)", id, b.name, at, ok)
		}
	}
	if used+p.free != len(p.blocks) || p.free != len(free) || p.promised != promised || p.promised > p.free {
		t.Fatalf("%d used + %d free of %d, %d in the list, promised %d of %d", used, p.free, len(p.blocks), len(free), p.promised, promised)
	}
}

func TestPoolKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 4).Draw(t, "size")
		p := newPool(rapid.IntRange(1, 40).Draw(t, "blocks"), size, rapid.Bool().Draw(t, "cache"), newHostTier(rapid.IntRange(0, 9).Draw(t, "host")))
		var held []*sequence
		next := ID(0)
		t.Repeat(map[string]func(*rapid.T){
			"admit": func(t *rapid.T) {
				// Few texts, so that they share; each is its own beginning.
				text, n := rapid.Uint32Range(0, 2).Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "tokens")
				tokens := make([]uint32, n)
				for i := range tokens {
					tokens[i] = text
				}
				q := &sequence{Request: Request{Prompt: n, Blocks: HashBlocks("", tokens, size)}, id: next}
				next++
				found := p.find(q, nil)
				if len(found)*size >= n {
					t.Fatalf("%d blocks found of %d tokens: none is left to compute", len(found), n)
				}
				before, promised := p.free, p.promised
				if _, ok := p.admit(q, found, n, rapid.IntRange(0, 12).Draw(t, "ceiling")); ok {
					held = append(held, q)
					p.publish(q, n)
				} else if p.free != before || p.promised != promised || len(q.blocks) > 0 {
					t.Fatalf("a refusal changed the pool")
				}
			},
			"grow": func(t *rapid.T) {
				if len(held) > 0 {
					q := rapid.SampledFrom(held).Draw(t, "who")
					more := len(q.blocks)*size + rapid.IntRange(1, 9).Draw(t, "more")
					if p.grow(q, more) {
						p.publish(q, more)
					} else if q.promised > 0 && more <= (len(q.blocks)+q.promised)*size {
						t.Fatalf("a promised block was refused")
					}
				}
			},
			"drop": func(t *rapid.T) {
				if len(held) > 0 {
					i := rapid.IntRange(0, len(held)-1).Draw(t, "who")
					p.drop(held[i])
					held = append(held[:i], held[i+1:]...)
				}
			},
			"": func(t *rapid.T) { checkPool(t, p, held) },
		})
	})
}

// The tail of a prompt is lost before its head, an old prompt before a new one.
func TestTheTailIsLostFirst(t *testing.T) {
	p := newPool(6, 1, true, nil)
	text := func(id ID, tokens ...uint32) *sequence {
		return &sequence{Request: Request{Prompt: len(tokens), Blocks: HashBlocks("", tokens, 1)}, id: id}
	}
	use := func(q *sequence) {
		if _, ok := p.admit(q, p.find(q, nil), q.Prompt, 0); !ok {
			t.Fatal("no room")
		}
		p.publish(q, q.Prompt)
		p.drop(q)
	}
	old, newer := []uint32{1, 2, 3}, []uint32{7, 8, 9}
	use(text(0, old...))
	use(text(1, newer...))
	use(text(2, 4, 5)) // takes two blocks
	if got := len(p.find(text(3, append(old, 0)...), nil)); got != 1 {
		t.Errorf("of the old prompt %d blocks are left, want its first", got)
	}
	if got := len(p.find(text(4, append(newer, 0)...), nil)); got != 3 {
		t.Errorf("of the newer prompt %d blocks are left, want all 3", got)
	}
}

// What a running sequence holds costs one that shares it nothing.
func TestSharedBlocksNeedNoRoom(t *testing.T) {
	p := newPool(5, 1, true, nil)
	text := HashBlocks("", []uint32{1, 2, 3}, 1)
	first := &sequence{Request: Request{Prompt: 4, Blocks: text}}
	second := &sequence{Request: Request{Prompt: 4, Blocks: text}, id: 1}
	for _, q := range []*sequence{first, second} {
		if _, ok := p.admit(q, p.find(q, nil), 4, 0); !ok {
			t.Fatalf("request %d finds no room: 3 of 4 blocks are shared, %d free", q.id, p.free)
		}
		p.publish(q, 4)
	}
	checkPool(t, p, []*sequence{first, second})
	if p.free != 0 {
		t.Errorf("%d blocks free, want none", p.free)
	}
}

func TestHashBlocks(t *testing.T) {
	a := HashBlocks("", []uint32{1, 2, 3, 4, 5}, 2)
	b := HashBlocks("", []uint32{1, 2, 9, 4}, 2)
	if len(a) != 2 || a[0] != b[0] || a[1] == b[1] {
		t.Errorf("%x and %x: two blocks, of which the first is the same", a, b)
	}
	if c := HashBlocks("tenant", []uint32{1, 2}, 2); c[0] == a[0] {
		t.Error("another salt gives the same name")
	}
	if HashBlocks("", []uint32{1}, 0) != nil {
		t.Error("blocks of no tokens")
	}
}
