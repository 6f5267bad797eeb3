package config

import (
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"strings"

	"weir.dev/weir"
)

// routeRule is for names that callers send as their model; so they may look
// like those of providers.
func routeRule() *rule {
	return newRule(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`, "a route's name", "it is what callers send as their model: up to 128 letters, digits and . _ - : / @")
}

func checkName(s *scalar) *fault {
	f := nameRule().fault(s.text)
	if f != nil {
		f.msg = s.name + ": " + f.msg
	}
	return f
}

// hashOfNothing is what sha256sum prints where a variable was empty.
const hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// checkHash takes a hash, and knows what people put there instead.
func checkHash(s *scalar) *fault {
	const make = "weir keys new makes a key and prints its line"
	word := strings.TrimPrefix(s.text, "sha256:")
	_, err := hex.DecodeString(word)
	switch {
	case strings.ToLower(word) == hashOfNothing:
		return &fault{s.name + " is the hash of an empty text", make}
	case word != s.text:
		return &fault{s.name + " is the 64 hex digits alone", "take sha256: away"}
	case err == nil && len(word) == 64:
		return nil
	case err == nil || len(word) < 20:
		return &fault{s.name + " wants 64 hex digits; these are " + strconv.Itoa(len([]rune(word))) + " characters", make}
	}
	return &fault{s.name + " wants the hash of a key, not the key itself", "a key that stood in a file is no secret any more: " + make + ", and the hash alone stays here"}
}

// judged are the metrics that a route can hold a target to, and from which
// side.
var judged = map[string]string{"ttft": "<", "ttft_sent": "<", "tpot": "<", "output_speed": ">", "success": ">"}

func checkSLO(s *scalar) *fault {
	slo, err := weir.ParseSLO(s.text)
	if err != nil {
		what, hint := "it cannot be read", ""
		if e, ok := errors.AsType[*weir.Error](err); ok {
			what, hint = e.Message, e.Hint
		}
		return &fault{s.name + ": " + scrub(what), hint}
	}
	for _, o := range slo {
		const can = "a route holds targets to ttft and tpot from above, to output_speed and success from below, as in ttft<=200ms, output_speed>=40"
		side, known := judged[o.Metric]
		_, run := weir.SLO{o}.Split()
		switch {
		case !known && len(run) > 0 && !o.P.Known():
			return &fault{s.name + ": " + o.Metric + " is a figure of a whole run, and a route judges requests", can}
		case !known:
			return &fault{s.name + ": a route does not watch " + o.Metric, can}
		case !strings.HasPrefix(o.Op, side):
			return &fault{s.name + ": " + o.String() + " asks for more where less is better, or the other way round", can}
		}
	}
	return nil
}

// checkAddress takes what a server can listen on.
func checkAddress(s *scalar) *fault {
	const like = "as in 127.0.0.1:8080; :8080 is every address of this machine"
	host, port, err := net.SplitHostPort(s.text)
	n, bad := strconv.ParseUint(port, 10, 16)
	switch {
	case strings.Contains(s.text, "://"):
		return &fault{s.name + " is host:port, not a URL: " + s.shown(), like}
	case err != nil, hasBlank(s.text), strings.ContainsAny(host, "/@"):
		return &fault{s.name + " wants host:port, not " + s.shown(), like}
	case bad != nil, n == 0 && port != "0":
		return &fault{s.name + " has no port from 1 to 65535: " + s.shown(), like}
	}
	return nil
}
