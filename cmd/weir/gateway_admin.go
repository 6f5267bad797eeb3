package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"weir.dev/weir"
	"weir.dev/weir/internal/gateway/journal"
	"weir.dev/weir/internal/gateway/telemetry"
)

// What GET /api/v1/requests gives unless it is asked for another number, and at
// most.
const (
	defaultRequests = 50
	mostRequests    = 1000
)

// adminServer serves what is for operators alone. It has no keys: who reaches the
// address may read.
func adminServer(g *gatewayProcess) *http.Server {
	return &http.Server{
		Handler: localOnly(adminRoutes(g)), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// adminRoutes are all paths of the admin listener.
func adminRoutes(g *gatewayProcess) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.metrics.Handler())
	mux.HandleFunc("GET /api/v1/requests", g.serveRequests)
	mux.HandleFunc("GET /api/v1/requests/{id}", g.serveRequest)
	mux.HandleFunc("GET /api/v1/targets", g.serveTargets)
	mux.Handle("GET /healthz", g.server.Handler())
	mux.Handle("GET /readyz", g.server.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path+" (GET /metrics, /api/v1/requests?limit=, /api/v1/requests/ID, /api/v1/targets, /healthz, /readyz)")
	})
	return mux
}

// localOnly refuses, on a connection to the loopback, requests that name another
// host: those of a web page whose own name was made to lead here.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if at != nil && isLoopback(at.String()) && !isLoopback(r.Host) {
			refuse(w, http.StatusForbidden, "on this address the host is localhost or an address of this machine's loopback")
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// isLoopback tells whether a host, with or without a port, is this machine's own.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

func (g *gatewayProcess) serveRequests(w http.ResponseWriter, r *http.Request) {
	limit := defaultRequests
	if v := r.URL.Query().Get("limit"); v != "" {
		var err error
		if limit, err = strconv.Atoi(v); err != nil || limit < 1 || limit > mostRequests {
			refuse(w, http.StatusBadRequest, "limit is a number from 1 to "+strconv.Itoa(mostRequests))
			return
		}
	}
	answer(w, http.StatusOK, map[string][]*journal.Record{"requests": g.journal.Recent(limit)})
}

func (g *gatewayProcess) serveRequest(w http.ResponseWriter, r *http.Request) {
	record, ok := g.journal.Get(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "there is no such request among those that are kept (gateway.requests)")
		return
	}
	answer(w, http.StatusOK, record)
}

// targetStatus is a target in GET /api/v1/targets.
type targetStatus struct {
	weir.Health
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	Dialect  weir.Dialect `json:"dialect"`
	URL      string       `json:"url"`
	Routes   []string     `json:"routes"`
	Keyed    bool         `json:"keyed"`             // it has a key, or needs none; else it is never asked
	Missing  string       `json:"missing,omitempty"` // why it has none
}

func (g *gatewayProcess) serveTargets(w http.ResponseWriter, _ *http.Request) {
	now := g.now.Load()
	list := []*targetStatus{}
	byName := map[string]*targetStatus{}
	for _, h := range g.server.Health(time.Now()) {
		one := &targetStatus{Health: h, Keyed: true}
		list, byName[h.Target] = append(list, one), one
	}
	for _, r := range now.gateway.Routes {
		for i, t := range r.Targets {
			if one := byName[t.Name]; one != nil { // a reload may be under way
				one.Provider, one.Model, one.Dialect, one.URL = r.Plan.Targets[i].Provider, t.Model, t.Dialect, t.URL
				one.Routes = append(one.Routes, r.Plan.Name)
			}
		}
	}
	for _, k := range now.keyless {
		if one := byName[k.target]; one != nil {
			one.Keyed, one.Missing = false, g.secrets.text(k.why)
		}
	}
	answer(w, http.StatusOK, map[string][]*targetStatus{"targets": list})
}

// targetStates are those that metrics show.
func targetStates(all []weir.Health, keyless func(target string) bool) (out []telemetry.TargetState) {
	for _, h := range all {
		state := string(h.State)
		switch {
		case keyless(h.Target):
			state = "no_key"
		case slices.Contains(telemetry.States(), h.Reason):
			state = h.Reason
		}
		out = append(out, telemetry.TargetState{Target: h.Target, State: state, InFlight: h.InFlight})
	}
	return out
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

func answer(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who has left is told nothing
}
