package stats

import (
	"encoding/binary"
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"weir.dev/weir"
)

// The sketch's promise: quantiles within 1 % of the value, at most 2,048 bins,
// which in nanoseconds or milliseconds span more than 17 decades.
const (
	sketchAccuracy = 0.01
	sketchBins     = 2048
	sketchVersion  = 1
	maxSketchBytes = 64 << 10 // of one encoded sketch; a full one has about 40 KB
	maxIndex       = 1 << 16  // of a bin: the largest float64 has 35,000
)

// Sketch keeps a latency of any number of requests in little space, for rollups:
// the values that were reached, beside them those that were cut, and how many
// can never be. Sketches of the same thing merge without loss. Its quantiles are
// within 1 % of those of the raw values (Masson, Rim and Lee, "DDSketch: A Fast
// and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees", 2019),
// and by way of [Survival] they respect the cuts. Where a bin holds events and
// cuts, their order is lost, which may move a p by a thousandth. Values are 0 or
// more. NewSketch is required.
type Sketch struct {
	reached, cut *ddsketch.DDSketch
	never        uint64
}

// NewSketch is an empty sketch.
func NewSketch() *Sketch { return &Sketch{reached: newBins(), cut: newBins()} }

func newBins() *ddsketch.DDSketch {
	return ddsketch.NewDDSketch(sketchMapping(), newStore(), newStore())
}

func newStore() store.Store { return store.NewCollapsingLowestDenseStore(sketchBins) }

// sketchMapping cannot fail: its only error is an accuracy outside (0, 1).
func sketchMapping() mapping.IndexMapping {
	m, _ := mapping.NewCubicallyInterpolatedMapping(sketchAccuracy)
	return m
}

// Reach adds a value that was reached; +Inf counts as one that never will be.
func (s *Sketch) Reach(v float64) error {
	if math.IsInf(v, 1) {
		s.never++
		return nil
	}
	return add(s.reached, v)
}

// Cut adds a wait that was cut at v.
func (s *Sketch) Cut(v float64) error { return add(s.cut, v) }

// Never adds a request that can never reach the event.
func (s *Sketch) Never() { s.never++ }

func add(to *ddsketch.DDSketch, v float64) error {
	if v < 0 {
		return ddsketch.ErrUntrackableTooLow
	}
	return to.Add(v)
}

// N is how many requests it holds.
func (s *Sketch) N() int { return int(count(s.reached) + count(s.cut) + s.never) }

func count(d *ddsketch.DDSketch) uint64 { return uint64(math.Round(d.GetCount())) }

// Merge adds all of the other's requests.
func (s *Sketch) Merge(other *Sketch) error {
	if err := s.reached.MergeWith(other.reached); err != nil {
		return err
	}
	s.never += other.never
	return s.cut.MergeWith(other.cut)
}

// Survival is the curve by bins. Within a bin half the cuts are taken to come
// before the events, as actuaries do.
func (s *Sketch) Survival() Survival {
	var rows []row
	s.reached.ForEach(func(v, n float64) bool {
		rows = append(rows, row{t: v, reached: n})
		return false
	})
	s.cut.ForEach(func(v, n float64) bool {
		rows = append(rows, row{t: v, cut: n})
		return false
	})
	return survival(rows, float64(s.never), 0.5)
}

// Append appends the sketch's encoding: a version byte, how many are in each of
// the three groups, the length of the reached bins, and both groups' bins in
// DDSketch's own form.
func (s *Sketch) Append(b []byte) []byte {
	b = append(b, sketchVersion)
	for _, n := range []uint64{count(s.reached), count(s.cut), s.never} {
		b = binary.AppendUvarint(b, n)
	}
	var bins []byte
	s.reached.Encode(&bins, true)
	b = binary.AppendUvarint(b, uint64(len(bins)))
	b = append(b, bins...)
	s.cut.Encode(&b, true)
	return b
}

// DecodeSketch reads what Append wrote, all of b. The counts are checked, since
// the library passes over bins that it cannot read.
func DecodeSketch(b []byte) (*Sketch, error) {
	switch {
	case len(b) == 0 || len(b) > maxSketchBytes:
		return nil, unreadable("it is empty or too long", nil)
	case b[0] != sketchVersion:
		return nil, unreadable("another version of weir wrote it", nil)
	}
	b = b[1:]
	var head [4]uint64 // reached, cut, never, bytes of the reached bins
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<53 {
			return nil, unreadable("its counts are broken", nil)
		}
		head[i], b = v, b[n:]
	}
	if head[3] > uint64(len(b)) {
		return nil, unreadable("it is cut short", nil)
	}
	reached, err := decodeBins(b[:head[3]], head[0])
	if err != nil {
		return nil, err
	}
	cut, err := decodeBins(b[head[3]:], head[1])
	if err != nil {
		return nil, err
	}
	return &Sketch{reached: reached, cut: cut, never: head[2]}, nil
}

// decodeBins goes by way of a sparse store: the dense one panics at indexes that
// no value has.
func decodeBins(b []byte, n uint64) (*ddsketch.DDSketch, error) {
	sparse, err := ddsketch.DecodeDDSketch(b, store.SparseStoreConstructor, sketchMapping())
	if err != nil {
		return nil, unreadable("its bins are broken", err)
	}
	sound, sum := sparse.GetNegativeValueStore().IsEmpty() && sparse.GetZeroCount() >= 0, sparse.GetZeroCount()
	sparse.GetPositiveValueStore().ForEach(func(index int, count float64) bool {
		sound = sound && index > -maxIndex && index < maxIndex && count >= 0
		sum += count
		return !sound
	})
	if !sound || math.Abs(sum-float64(n)) > 0.5 {
		return nil, unreadable("its bins do not add up", nil)
	}
	d := newBins()
	if err := d.MergeWith(sparse); err != nil {
		return nil, unreadable("its bins are broken", err)
	}
	return d, nil
}

func unreadable(why string, err error) *weir.Error {
	return &weir.Error{Code: "sketch_unreadable", Message: "a stored latency sketch cannot be read: " + why, Hint: "the record is damaged; figures of its time are lost", Err: err}
}
