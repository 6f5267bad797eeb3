// Package meter is the stopwatch: an [http.RoundTripper] that measures the
// calls to language models that go through it. It goes under any client, one
// line, and changes nothing of what the client sees:
//
//	client := &http.Client{Transport: &meter.Transport{Sink: func(t *weir.Trace) {
//		fmt.Println(t.TTFT(), t.OutputSpeed())
//	}}}
//
// Each call becomes one [weir.Trace], given to the Sink when its body has been
// read or closed: connection phases by httptrace, one tick per streamed event
// stamped when its bytes were read, usage, and how the call ended. Benchmark,
// probes and gateway all measure with this one type, so their numbers agree.
//
// What may not live here: who asks, and who judges. A Transport does not retry,
// choose or store.
package meter
