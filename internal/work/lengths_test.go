package work

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseLengths(t *testing.T) {
	for s, want := range map[string]Lengths{
		"256/128":                       OnePair(Fixed(256), Fixed(128)),
		" 256 / 128 ":                   OnePair(Fixed(256), Fixed(128)),
		"256~0/128":                     OnePair(Fixed(256), Fixed(128)),
		"256~64/128~10[100..140]":       OnePair(Length{256, 64, 1, 512}, Length{128, 10, 100, 140}),
		"70%:256/128,30%:4000/512":      {{70, Fixed(256), Fixed(128)}, {30, Fixed(4000), Fixed(512)}},
		"33.3%:1/1,33.3%:2/2,33.4%:3/3": {{33.3, Fixed(1), Fixed(1)}, {33.3, Fixed(2), Fixed(2)}, {33.4, Fixed(3), Fixed(3)}},
	} {
		got, err := ParseLengths(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		for i := range want {
			if len(want) == 1 {
				want[i].Weight = got[i].Weight
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", s, d)
		}
	}
	for s, want := range map[string]string{
		"":                     `share`,
		"256":                  `"256" is no pair`,
		"256/x":                `length "x"`,
		"0/128":                `length 0 (it must be from 1`,
		"256/99999999":         `length 99999999`,
		"256~x/1":              `length "256~x"`,
		"256~64[300..400]/1":   `the bounds must be around the mean`,
		"256~64[5]/1":          `length "256~64[5]"`,
		"70%:256/128":          `the shares are 70 % in all`,
		"70%:1/1,40%:1/1":      `the shares are 110 % in all`,
		"70%:256/128,4000/512": `"4000/512" has no share`,
		"70:256/128,30:1/1":    `share "70"`,
		"-5%:1/1,105%:1/1":     `share "-5%"`,
		"NaN%:1/1":             `share "NaN%"`,
		"50%:1/1,":             `"" has no share`,
	} {
		if _, err := ParseLengths(s); err == nil || !strings.Contains(err.Error(), want) && s != "" {
			t.Errorf("%q: %v, not %s", s, err, want)
		}
	}
}

func TestLengthsStringIsRead(t *testing.T) {
	length := rapid.Custom(func(t *rapid.T) Length {
		l := Fixed(rapid.IntRange(1, maxTokens).Draw(t, "mean"))
		if l.SD = rapid.IntRange(0, 1000).Draw(t, "sd"); l.SD > 0 {
			l.Min, l.Max = rapid.IntRange(1, l.Mean).Draw(t, "min"), rapid.IntRange(l.Mean, maxTokens).Draw(t, "max")
		}
		return l
	})
	rapid.Check(t, func(t *rapid.T) {
		l := OnePair(length.Draw(t, "in"), length.Draw(t, "out"))
		if rapid.Bool().Draw(t, "two") {
			share := float64(rapid.IntRange(1, 99).Draw(t, "share"))
			l[0].Weight = share
			l = append(l, Pair{100 - share, length.Draw(t, "in"), length.Draw(t, "out")})
		}
		got, err := ParseLengths(l.String())
		if err != nil || got.String() != l.String() {
			t.Fatalf("%q became %q, %v", l, got, err)
		}
	})
}

// TestLengthsDrawn: the draws have the distribution that was asked for.
func TestLengthsDrawn(t *testing.T) {
	const n = 20_000
	m := maker{seed: 3, plan: Plan{Lengths: OnePair(Length{1000, 200, 1, 1800}, Fixed(5))}}
	var sum, squares, within float64
	for k := range n {
		in, out := m.lengths(k)
		if in < 1 || in > 1800 || out != 5 {
			t.Fatal(in, out)
		}
		sum, squares = sum+float64(in), squares+float64(in)*float64(in)
		if in >= 800 && in <= 1200 {
			within++
		}
	}
	mean := sum / n
	sd := math.Sqrt(squares/n - mean*mean)
	if math.Abs(mean-1000) > 6 || math.Abs(sd-200) > 5 || math.Abs(within/n-0.6827) > 0.012 {
		t.Errorf("mean %v, deviation %v, %v within one", mean, sd, within/n)
	}

	// Chi-square over blocks of requests in a row, 2 degrees of freedom.
	var err error
	if m.plan.Lengths, err = ParseLengths("60%:256/128,30%:1000/64,10%:4000/512"); err != nil {
		t.Fatal(err)
	}
	over := 0
	for block := range 200 {
		count := map[int]float64{}
		for k := range 500 {
			in, out := m.lengths(block*500 + k)
			if want := map[int]int{256: 128, 1000: 64, 4000: 512}[in]; out != want {
				t.Fatalf("%d with %d", in, out)
			}
			count[in]++
		}
		chi := 0.0
		for in, want := range map[int]float64{256: 300, 1000: 150, 4000: 50} {
			chi += (count[in] - want) * (count[in] - want) / want
		}
		if chi > 5.99 { // 5 %
			over++
		}
	}
	if over < 1 || over > 22 { // 10 expected
		t.Errorf("%d of 200 blocks are beyond the 5 %% point", over)
	}
}

func TestClampedLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Length{Mean: 100, SD: rapid.IntRange(1, 5000).Draw(t, "sd"), Min: 50, Max: 120}
		m := maker{seed: rapid.Uint64().Draw(t, "seed")}
		if n := l.Draw(m.rand(streamLengths, 0)); n < 50 || n > 120 {
			t.Fatal(n)
		}
	})
}

func TestLengthsMost(t *testing.T) {
	l, err := ParseLengths("70%:256~64[16..900]/100,30%:800/128")
	if err != nil {
		t.Fatal(err)
	}
	if in, out := l.Most(); in != 900 || out != 128 {
		t.Errorf("%d and %d, want 900 and 128", in, out)
	}
}
