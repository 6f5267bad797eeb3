package engine

// Precision is how numbers are stored: weights, or elements of the KV cache.
type Precision string

// The precisions that are known.
const (
	BF16  Precision = "bf16"
	FP8   Precision = "fp8"
	INT8  Precision = "int8"
	FP4   Precision = "fp4"   // NVFP4, blocks of 16
	MXFP4 Precision = "mxfp4" // blocks of 32
	INT4  Precision = "int4"  // groups of 128
)

// Bytes is the size of one element with its share of the scales; ok is false
// for a precision that is not known.
func (p Precision) Bytes() (bytes float64, ok bool) {
	switch p {
	case BF16:
		return 2, true
	case FP8, INT8:
		return 1, true
	case FP4:
		return 0.5625, true // one FP8 scale for 16
	case MXFP4:
		return 0.53, true // one 8-bit exponent for 32
	case INT4:
		return 0.52, true // one FP16 scale for 128
	}
	return 0, false
}

// Takes tells whether a device runs weights in a precision: in arithmetic of its
// own, or in BF16 where kernels widen the weights as they read them (INT8, INT4
// and MXFP4 weights on any device).
func (g GPU) Takes(w Precision) bool {
	_, native := g.Math[w]
	return native || w == INT8 || w == INT4 || w == MXFP4
}
