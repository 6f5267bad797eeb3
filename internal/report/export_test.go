package report

// SaturationOf is saturation, for hand-made points.
var SaturationOf = saturation
