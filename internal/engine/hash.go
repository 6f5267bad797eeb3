package engine

import (
	"encoding/binary"
	"hash/fnv"
)

// Hash names all content from the first token up to the end of a block.
type Hash uint64

// HashBlocks names the full blocks of a text, size tokens each. A block's hash
// covers those before it, so two texts share blocks as far as they are the
// same. What may not be shared (another tenant's, another adapter's) gets
// another salt.
func HashBlocks(salt string, tokens []uint32, size int) []Hash {
	if size < 1 {
		return nil
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(salt)) // a hash never fails
	hashes := make([]Hash, 0, len(tokens)/size)
	var buf [4]byte
	for i, t := range tokens[:len(tokens)/size*size] {
		binary.LittleEndian.PutUint32(buf[:], t)
		_, _ = h.Write(buf[:])
		if (i+1)%size == 0 {
			hashes = append(hashes, Hash(h.Sum64()))
		}
	}
	return hashes
}

// name is the hash of a sequence's block: the one that it came with, or one
// that no other request has.
func (q *sequence) name(block int) Hash {
	if block < len(q.Blocks) {
		return q.Blocks[block]
	}
	return own(q.id, block)
}

// own mixes request and block number (the finalizer of SplitMix64).
func own(id ID, block int) Hash {
	z := uint64(id)<<24 + uint64(block) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return Hash(z ^ z>>31)
}
