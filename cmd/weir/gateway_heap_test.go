package main

import "testing"

// TestGrowth: a small heap grows to smallHeap, a large one is collected when it
// has doubled.
func TestGrowth(t *testing.T) {
	for live, want := range map[uint64]int{0: 800, 1 << 20: 800, 4 << 20: 500, 8 << 20: 200, 12 << 20: 100, 16 << 20: 100, 400 << 20: 100} {
		if got := growth(live); got != want {
			t.Errorf("%d MB: %d %%, want %d", live>>20, got, want)
		}
	}
}
