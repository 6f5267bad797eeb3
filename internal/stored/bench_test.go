package stored

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/weirtest/handmade"
)

// BenchmarkRead reads traces of 256 events; b.N of them.
func BenchmarkRead(b *testing.B) {
	one := handmade.Trace("0")
	one.Ticks = nil
	for i := range 256 {
		at := 20*time.Millisecond + time.Duration(i)*2001*time.Microsecond
		one.Ticks = append(one.Ticks, weir.Tick{At: at, Lo: at, Kind: weir.TickText, Bytes: 5})
	}
	var file bytes.Buffer
	for i := range 1000 {
		one.ID = fmt.Sprint(i)
		if err := json.NewEncoder(&file).Encode(one); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(file.Len() / 1000))
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 1000 {
		if err := eachLine(bytes.NewReader(file.Bytes()), func(int, *line) {}); err != nil {
			b.Fatal(err)
		}
	}
}
