package config

import "time"

// gatewayKeys are the sections of weir gateway.
func gatewayKeys() []key {
	return []key{
		{"routes", false, &spec{kind: table, some: true, elem: routeSpec(), name: routeRule(), doc: "Names that callers ask for as their model, each with who answers: NAME: groq/llama-3.3-70b-versatile is whole."}},
		{"keys", false, &spec{kind: list, some: true, elem: keySpec(), doc: "The keys of callers, as hashes: weir keys new makes them. Without this section whoever reaches the address is let in."}},
		{"listen", false, &spec{kind: text, says: "host:port", check: checkAddress, def: DefaultListen, doc: "Where callers connect, as in 127.0.0.1:8080."}},
		{"admin", false, &spec{kind: text, says: "host:port, or off", off: true, check: checkAddress, def: DefaultAdmin, doc: "Where the admin API, request log and metrics are, as in 127.0.0.1:8081, or off. It asks for no key."}},
		{"gateway", false, &spec{kind: object, doc: "Limits of the gateway, and those that routes and targets have unless they say otherwise.", keys: settingKeys()}},
	}
}

func routeSpec() *spec {
	const of = "a model, a provider/model, or a list of them"
	keys := []key{
		{"model", true, &spec{kind: list, lone: true, some: true, says: of, elem: &spec{kind: text, says: "a model or a provider/model", check: notEmpty, doc: "A name under models (all its targets, in order), or provider/model."}, doc: "Who answers: a name under models, a provider/model, or a list of them, in the order they are asked."}},
		{"policy", false, &spec{kind: text, enum: policies(), doc: "How targets are ordered: fixed as they stand; weighted at random; least_busy, of two at random; slo as they stand, those that break the slo last. By default slo where there is one, else fixed."}},
		{"slo", false, &spec{kind: text, check: checkSLO, doc: "Objectives of each request, such as ttft<=200ms, output_speed>=40."}},
		{"attainment", false, &spec{kind: share, def: "95%", doc: "The share of requests that has to meet an objective that names no percentile; a target under it comes last."}},
		{"explore", false, &spec{kind: share, off: true, def: "2%", doc: "The share of requests that tries a target again which breaks the slo; off: none."}},
		{"rescue", false, &spec{kind: text, enum: rescues(), def: string(NoRescue), doc: "An answer that breaks off: off ends it with an error; match lets the next target begin anew and swallows what was sent already; prefill hands it the beginning, if it says prefill: true."}},
		{"keep_trying", false, &spec{kind: toggle, def: "true", doc: "Where every target is out of use, they are asked all the same; false: the caller gets an error at once."}},
		{"rewrite_model", false, &spec{kind: toggle, def: "false", doc: "Answers name the route as their model, not what the target calls it."}},
	}
	keys = append(keys, inherited(append(append(handlingKeys(), firstOutputKey()), limitKeys()...))...)
	keys = append(keys, laterKey("class", "learned routing"), laterKey("objective", "learned routing"), laterKey("hedge", "learned routing"))
	return &spec{kind: object, short: []string{"model"}, says: of + ", or a mapping", keys: keys, doc: "Who answers a name, and how."}
}

func policies() []string {
	return []string{string(Fixed), string(Weighted), string(LeastBusy), string(SLO)}
}

func rescues() []string {
	return []string{string(NoRescue), string(RescueMatch), string(RescuePrefill)}
}

func keySpec() *spec {
	return &spec{kind: object, doc: "A caller's key.", keys: []key{
		{"name", true, &spec{kind: text, check: checkName, doc: "What logs and metrics call it."}},
		{"sha256", true, &spec{kind: text, secret: true, digits: true, check: checkHash, doc: "The SHA-256 of the key, 64 hex digits, as weir keys new prints it."}},
		{"routes", false, &spec{kind: list, lone: true, some: true, says: "a route or a list of them", elem: &spec{kind: text, says: "a route", check: notEmpty, doc: "A name under routes."}, doc: "The routes it may use; all by default."}},
		{"rpm", false, &spec{kind: count, doc: "Requests a minute, at most; without it there is no limit."}},
		{"tpm", false, &spec{kind: count, doc: "Tokens a minute, prompts and answers together; without it there is no limit."}},
		{"budget", false, &spec{kind: text, check: checkBudget, doc: "What it may cost, such as 50usd/day (or week, month); without it there is no limit."}},
	}}
}

// targetKeys are those of a target that only the gateway looks at.
func targetKeys() []key {
	return []key{
		{"prefill", false, &spec{kind: toggle, def: "false", doc: "It goes on with an answer whose beginning it is given: what rescue: prefill needs."}},
		{"tools", false, &spec{kind: toggle, def: "true", doc: "It takes tools; false: requests with tools go elsewhere."}},
		{"images", false, &spec{kind: toggle, def: "true", doc: "It takes images; false: requests with images go elsewhere."}},
		{"drain_for_usage", false, &spec{kind: toggle, def: "false", doc: "When a caller leaves, read on for the usage in place of stopping the answer. It is paid for to its end."}},
		{"limits", false, &spec{kind: object, keys: inherited(append(limitKeys(), timed("first_output", "", true, "From the attempt's begin to its first output, whatever the prompt; off: as long as it takes."))), doc: "Clocks of an attempt at it, where they are not the route's."}},
		{"breaker", false, &spec{kind: object, keys: inherited(breakerKeys()), doc: "When it is left alone, where that is not as for the others."}},
		{"cooldown", false, &spec{kind: object, keys: inherited(cooldownKeys()), doc: "How long it rests after a 429, where that is not as for the others."}},
	}
}

// settingKeys are all limits, with their defaults.
func settingKeys() []key {
	floor := counted("retry_floor", "100", 100_000, "Attempts after the first that are allowed in ten seconds however few the requests; off: none.")
	floor.off = true
	return append(append(append(handlingKeys(), firstOutputKey()), limitKeys()...),
		key{"retry_budget", false, &spec{kind: share, off: true, def: "10%", doc: "Attempts after a request's first one, as a share of all requests, so that retries cannot make a storm; off: no bound."}},
		floor,
		key{"breaker", false, &spec{kind: object, keys: breakerKeys(), doc: "When a target is left alone, and for how long."}},
		key{"cooldown", false, &spec{kind: object, keys: cooldownKeys(), doc: "Bounds of how long a target rests after a 429, whatever it asks for."}},
		timed("half_life", "60s", false, "After so long what was measured of a target counts half."),
		timed("read_header", "10s", false, "Time for a caller to send the head of a request."),
		timed("read_body", "60s", false, "Time for a caller to send the body."),
		timed("idle", "120s", false, "How long a caller's connection is kept for the next request."),
		sized("header_limit", "64KiB", "Size of the head of a request; larger is a 431."),
		sized("body_limit", "32MiB", "Size of the body of a request; larger is a 413."),
		sized("answer_limit", "32MiB", "Size of an answer that is not streamed."),
		sized("event_limit", "16MiB", "Size of one event of a stream."),
		sized("error_limit", "64KiB", "How much is read of a target's error."),
		counted("usage_drains", "64", 10_000, "Answers that are read on for their usage at a time (drain_for_usage)."),
		timed("usage_drain", "10s", false, "How long such an answer is read on."),
		counted("assumed_output", "1024", 1_000_000, "Tokens that limits and budgets take an answer to have whose request names no most."),
		counted("pins", "65536", 10_000_000, "Responses whose target is remembered, for previous_response_id."),
		counted("requests", "4096", 1_000_000, "Finished requests that the admin API remembers."),
		timed("drain", "10m", true, "Time for streams to finish after SIGTERM; off: as long as they take."),
	)
}

// handlingKeys say how much is done for one request.
func handlingKeys() []key {
	duplicates := counted("duplicates", "1", 20, "Failovers from attempts that may be carried out, and billed, all the same, such as timeouts; off: none.")
	duplicates.off = true
	return []key{
		counted("attempts", "3", 20, "Attempts for one request, at all targets together."),
		timed("attempts_within", "off", true, "Time for all of them, from the request's arrival to its first output; off: as long as they take."),
		timed("deadline", "off", true, "Time for the whole request; off: as long as it takes. A caller's own deadline counts beside it."),
		timed("whole", "off", true, "Time for an attempt at an answer that is not streamed; off: what first_output gives it."),
		timed("hold", "10s", true, "Time without output until 200 and comments go out, so that proxies in front stay; from then on an error is an event in the stream. off: never."),
		counted("hold_events", "64", 10_000, "Events before the first output that are kept back, at most; then the answer is let through."),
		sized("hold_bytes", "256KiB", "Bytes of the events that are kept back."),
		timed("keepalive", "15s", true, "Time between comments, once the hold is over."),
		timed("quick_retry", "1s", true, "A 500, or a reset before an answer, within this time is tried once more at the same target; off: never."),
		duplicates,
		timed("write", "30s", false, "Time for one write to a caller who does not read; then the answer is given up."),
		timed("trailer", "2s", true, "Time for usage and the last event, once the answer has its finish reason."),
	}
}

// limitKeys are the clocks of an attempt.
func limitKeys() []key {
	return []key{
		timed("connect", "5s", false, "Time to connect, TLS included."),
		timed("bytes", "off", true, "Time without any byte; comments count as bytes."),
		timed("stall", "30s", true, "Time without output, once it has begun."),
	}
}

func firstOutputKey() key {
	return key{"first_output", false, &spec{
		kind: object, short: []string{"fixed"}, says: "a duration such as 10s, off, or a mapping",
		doc: "From an attempt's begin to its first output: what the target was seen to take for a prompt of this length, within bounds. A duration alone holds whatever the prompt; off: as long as it takes.",
		keys: []key{
			timed("min", "2s", false, "No deadline is sooner than this."),
			timed("max", "120s", false, "No deadline is later than this."),
			timed("cold", "10s", false, "The deadline of a target of which too little is known, for an empty prompt."),
			timed("cold_per_1k", "500ms", false, "What each thousand tokens of the prompt add to cold."),
			timed("per_token", "50ms", false, "What each token that it may have adds for an answer that is not streamed."),
			{"factor", false, &spec{kind: number, def: "1.5", doc: "What the slowest that was measured (99.5 %) is multiplied with."}},
			timed("grace", "", true, "The deadline of the last target there is; max by default, off: the same as for the others."),
			timed("fixed", "", true, "The deadline whatever the prompt, in place of all that is learned; first_output: 10s is the same. off: none."),
		},
	}}
}

func breakerKeys() []key {
	return []key{
		counted("failures", "5", 10_000, "Failures in a row that open it."),
		{"rate", false, &spec{kind: share, off: true, def: "50%", doc: "The share of failures in the window that opens it, too; off: only failures in a row count."}},
		counted("minimum", "20", 100_000, "Outcomes in the window for the rate to count."),
		timed("window", "30s", false, "How far back the rate looks."),
		timed("open", "5s", false, "How long it stays open the first time; it doubles, with jitter."),
		timed("open_max", "20s", false, "The longest that it stays open."),
		timed("recheck", "5m", false, "How long a target rests whose key was refused or whose quota is used up; then one request finds out."),
	}
}

func cooldownKeys() []key {
	return []key{
		timed("min", "1s", false, "The shortest rest, and that of a 429 that names no time."),
		timed("max", "10m", false, "The longest rest, even if the target asks for more."),
	}
}

// longest is the longest duration: time enough for an answer of any model.
const longest = float64(24 * time.Hour)

func timed(name, def string, off bool, doc string) key {
	return key{name, false, &spec{kind: duration, def: def, off: off, least: float64(time.Millisecond), most: longest, doc: doc}}
}

func sized(name, def, doc string) key {
	return key{name, false, &spec{kind: size, def: def, least: 1 << 10, most: 1 << 30, doc: doc}}
}

func counted(name, def string, most float64, doc string) key {
	return key{name, false, &spec{kind: count, def: def, most: most, doc: doc}}
}

// inherited takes the defaults away: what a route or target does not say is
// that of the gateway.
func inherited(keys []key) []key {
	for _, k := range keys {
		k.def = ""
		inherited(k.keys)
	}
	return keys
}
