package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir.dev/weir"
)

// ParsePlan reads "key=value,key=value,...". What is not named keeps the zero
// value's behaviour. The keys:
//
//	ttft=80ms  ttft_per_1k=5ms  gap=10ms  jitter=10%  tail=5%:2s
//	tokens_per_event=1  tokens=128  eos=64  reasoning=32
//	usage=end|every|finish|none|zeros-first  role=true|false  done=true|false
//	status=429:2s  fail=5%:503  error=3  cut=3  stall=3:2s  buffer=true  json=true
func ParsePlan(spec string) (Plan, error) {
	var p Plan
	language, seen := keys(), map[string]bool{}
	for part := range strings.SplitSeq(spec, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(language, func(k key) bool { return k.name == name })
		if i < 0 {
			return Plan{}, planError(fmt.Sprintf("unknown key %q", name), "one of "+strings.Join(keyNames(), ", "))
		}
		if seen[name] {
			return Plan{}, planError(fmt.Sprintf("%s stands twice", name), "give it once")
		}
		seen[name] = true
		if err := language[i].set(&p, value); err != nil {
			return Plan{}, planError(fmt.Sprintf("%s=%s is not possible", name, value), name+" is "+language[i].form)
		}
	}
	return p.normal(), nil
}

// String is the plan in the form that ParsePlan reads.
func (p Plan) String() string {
	var parts []string
	for _, k := range keys() {
		if v := k.get(p.normal()); v != "" {
			parts = append(parts, k.name+"="+v)
		}
	}
	return strings.Join(parts, ",")
}

// badPlan is the code of the errors about plans.
const badPlan = "bad_plan"

func planError(message, hint string) error {
	return &weir.Error{Code: badPlan, Message: "plan: " + message, Hint: hint}
}

// key is one word of the plan's language.
type key struct {
	name string
	form string // what is right, for errors
	set  func(p *Plan, v string) error
	get  func(p Plan) string // "" for the default
}

// keys is the whole language, in the order String writes it.
func keys() []key {
	return []key{
		durationKey("ttft", func(p *Plan) *time.Duration { return &p.TTFT }),
		durationKey("ttft_per_1k", func(p *Plan) *time.Duration { return &p.TTFTPer1K }),
		durationKey("gap", func(p *Plan) *time.Duration { return &p.Gap }),
		shareKey("jitter", func(p *Plan) *float64 { return &p.Jitter }),
		pairKey("tail", "SHARE:DURATION, such as 5%:2s", func(p *Plan) (field, field) { return shareField(&p.TailShare), durationField(&p.Tail, 1) }),
		countKey("tokens_per_event", 1, maxTokensPerEvent, func(p *Plan) *int { return &p.TokensPerEvent }),
		countKey("tokens", 1, maxTokens, func(p *Plan) *int { return &p.Tokens }),
		countKey("eos", 1, maxTokens, func(p *Plan) *int { return &p.EOS }),
		countKey("reasoning", 0, maxTokens, func(p *Plan) *int { return &p.Reasoning }),
		usageKey(),
		boolKey("role", true, func(p *Plan) *bool { return &p.NoRole }),
		boolKey("done", true, func(p *Plan) *bool { return &p.NoDone }),
		statusKey(),
		pairKey("fail", "SHARE:STATUS, such as 5%:503", func(p *Plan) (field, field) { return shareField(&p.FailShare), statusField(&p.FailStatus) }),
		afterKey("error", func(p *Plan) *weir.Opt[int] { return &p.ErrorAfter }),
		afterKey("cut", func(p *Plan) *weir.Opt[int] { return &p.CutAfter }),
		pairKey("stall", "EVENTS:DURATION, such as 3:2s", func(p *Plan) (field, field) {
			return countField(&p.StallAfter, 0, maxTokens), durationField(&p.Stall, 1)
		}),
		boolKey("buffer", false, func(p *Plan) *bool { return &p.Buffer }),
		boolKey("json", false, func(p *Plan) *bool { return &p.JSON }),
	}
}

func keyNames() (names []string) {
	for _, k := range keys() {
		names = append(names, k.name)
	}
	return names
}

func durationKey(name string, at func(*Plan) *time.Duration) key {
	return single(name, "a duration from 0s to 24h, such as 10ms", func(p *Plan) field { return durationField(at(p), 0) })
}

func shareKey(name string, at func(*Plan) *float64) key {
	return single(name, "a share from 0% to 100%, such as 10% or 0.1", func(p *Plan) field { return shareField(at(p)) })
}

func countKey(name string, least, most int, at func(*Plan) *int) key {
	return single(name, fmt.Sprintf("a whole number from %d to %d", least, most), func(p *Plan) field { return countField(at(p), least, most) })
}

// boolKey is true or false; where byDefault is true the field holds its opposite.
func boolKey(name string, byDefault bool, at func(*Plan) *bool) key {
	return single(name, "true or false", func(p *Plan) field {
		v := at(p)
		return field{
			set: func(s string) error {
				if s != "true" && s != "false" {
					return errValue
				}
				*v = (s == "true") != byDefault
				return nil
			},
			get: func() string {
				if !*v {
					return ""
				}
				return strconv.FormatBool(!byDefault)
			},
		}
	})
}

func afterKey(name string, at func(*Plan) *weir.Opt[int]) key {
	form := fmt.Sprintf("a number of output events from 0 to %d", maxTokens)
	return single(name, form, func(p *Plan) field {
		return field{
			set: func(s string) error {
				var n int
				if err := countField(&n, 0, maxTokens).set(s); err != nil {
					return err
				}
				*at(p) = weir.Some(n)
				return nil
			},
			get: func() string {
				n, ok := at(p).Get()
				if !ok {
					return ""
				}
				return strconv.Itoa(n)
			},
		}
	})
}

func usageKey() key {
	return single("usage", "end, every, finish, none or zeros-first", func(p *Plan) field {
		return field{
			set: func(s string) error {
				switch form := UsageForm(s); form {
				case UsageEnd, UsageEvery, UsageFinish, UsageNone, UsageZerosFirst:
					p.Usage = form
					return nil
				}
				return errValue
			},
			get: func() string { return string(p.Usage) },
		}
	})
}

func statusKey() key {
	return single("status", "STATUS or STATUS:RETRY_AFTER, 400 to 599 and a duration, such as 429:2s", func(p *Plan) field {
		status, after := statusField(&p.Status), durationField(&p.RetryAfter, 0)
		return field{
			set: func(s string) error {
				code, wait, both := strings.Cut(s, ":")
				if err := status.set(code); err != nil || !both {
					return err
				}
				return after.set(wait)
			},
			get: func() string { return strings.TrimSuffix(status.get()+":"+after.get(), ":") },
		}
	})
}

// errValue says that a value is not of its key's form.
var errValue = errors.New("not of the form")
