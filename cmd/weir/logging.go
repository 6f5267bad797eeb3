package main

import (
	"log/slog"
	"sync/atomic"

	"weir.dev/weir/internal/catalog"
)

// loggingFlags say what a process that serves tells of itself.
type loggingFlags struct {
	LogLevel  string `name:"log-level" enum:"debug,info,warn,error" default:"info" help:"debug (a line for each request), info, warn or error; on standard error."`
	LogFormat string `name:"log-format" enum:"text,json" default:"text" help:"text or json."`
}

// logger is the process's log, and what keeps secrets out of it.
func (f *loggingFlags) logger(p *process) (*slog.Logger, *redactor, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return nil, nil, usage("--log-level: %v", err)
	}
	r := &redactor{}
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: r.attr}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.err, o)), r, nil
	}
	return slog.New(slog.NewTextHandler(p.err, o)), r, nil
}

// redactor takes the secrets in force, and what looks like one, out of texts.
type redactor struct{ auth atomic.Pointer[catalog.Auth] }

func (r *redactor) text(s string) string {
	if auth := r.auth.Load(); auth != nil {
		s = auth.Redact(s)
	}
	return careful(s)
}

func (r *redactor) attr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(r.text(a.Value.String()))
	}
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(r.text(err.Error()))
	}
	return a
}
