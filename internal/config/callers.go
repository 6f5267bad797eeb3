package config

import (
	"encoding/hex"
	"net"
	"net/netip"
	"slices"
	"strings"

	"weir.dev/weir"
)

func (b *builder) keys(list *value) {
	if list == nil {
		return
	}
	names, hashes := map[string]int{}, map[string]int{}
	for _, v := range list.items {
		name, sum := v.get("name"), v.get("sha256")
		if name == nil || sum == nil {
			continue
		}
		hash := strings.ToLower(sum.text)
		if first, twice := names[name.text]; twice {
			b.bad(name.pos, v.path, "give it another name", "the key on line %d is called %s, too", first, name.text)
		}
		if first, twice := hashes[hash]; twice {
			b.bad(sum.keyPos, v.path, "weir keys new makes another", "the key on line %d is the same", first)
			continue
		}
		names[name.text], hashes[hash] = name.pos.line, name.pos.line
		b.c.Keys = append(b.c.Keys, b.key(v, name.text, hash))
	}
}

func (b *builder) key(v *value, name, hash string) Key {
	k := Key{Name: name}
	_, _ = hex.Decode(k.SHA256[:], []byte(hash)) // the walk has checked it
	count := func(name string) weir.Opt[int] {
		if n, ok := v.get(name).opt().Get(); ok {
			return weir.Some(int(n))
		}
		return weir.None[int]()
	}
	k.RPM, k.TPM = count("rpm"), count("tpm")
	if budget := v.get("budget"); budget != nil {
		amount, _ := parseBudget(&scalar{text: budget.text})
		k.Budget = weir.Some(amount)
	}
	if routes := v.get("routes"); routes != nil {
		for _, item := range routes.items {
			b.mayUse(&k, item)
		}
	}
	return k
}

// mayUse notes a route that a key names and that is none.
func (b *builder) mayUse(k *Key, item *value) {
	routes := b.file.get("routes")
	switch {
	case slices.Contains(k.Routes, item.text):
		b.bad(item.pos, item.path, "name it once", "%s is named already", quote(item.text))
		return
	case routes == nil, routes.get(item.text) != nil, b.faulty("routes." + item.text):
		k.Routes = append(k.Routes, item.text)
		return
	}
	hint := suggest(item.text, routes.names)
	if hint == "" {
		hint = "known: " + strings.Join(routes.names, ", ")
	}
	b.bad(item.pos, item.path, hint, "there is no route %s", quote(item.text))
}

// unreachable notes routes that no key may use.
func (b *builder) unreachable() {
	if len(b.c.Keys) == 0 || len(b.c.Keys) < len(b.file.get("keys").items) {
		return
	}
	for name, v := range b.file.get("routes").all() {
		may := func(k Key) bool { return len(k.Routes) == 0 || slices.Contains(k.Routes, name) }
		if !slices.ContainsFunc(b.c.Keys, may) {
			b.bad(v.keyPos, v.path, "add it to the routes of a key; a key without routes may use all", "no key may use the route %s", name)
		}
	}
}

// listeners are the two addresses. It warns of what is open to others.
func (b *builder) listeners() {
	listen, admin := b.file.get("listen"), b.file.get("admin")
	if listen != nil {
		b.c.Listen = listen.text
	}
	if admin != nil {
		b.c.Admin = strings.TrimPrefix(admin.text, "off")
	}
	if v := admin; b.c.Admin != "" && same(b.c.Listen, b.c.Admin) && (v != nil || listen != nil) {
		if v == nil {
			v = listen
		}
		b.bad(v.pos, v.path, "callers must not reach the admin API: give each its own port", "listen (%s) and admin (%s) are the same address", b.c.Listen, b.c.Admin)
	}
	if listen != nil && b.file.get("keys") == nil && !b.faulty("keys") && !loopback(listen.text) {
		b.doubt(listen.pos, listen.path, "add keys: weir keys new makes one; or listen on 127.0.0.1", "whoever reaches %s can spend your providers' quota: there are no keys", listen.text)
	}
	if admin != nil && b.c.Admin != "" && !loopback(admin.text) {
		b.doubt(admin.pos, admin.path, "127.0.0.1 keeps it on this machine", "whoever reaches %s sees requests, routes and metrics: admin asks for no key", admin.text)
	}
}

// loopback tells whether only this machine reaches an address.
func loopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// same tells whether two listeners would be in each other's way.
func same(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	every := func(host string) bool {
		ip, err := netip.ParseAddr(host)
		return host == "" || err == nil && ip.IsUnspecified()
	}
	named := loopback(a) && loopback(b) && (hostA == "localhost" || hostB == "localhost")
	return portA == portB && portA != "0" && (hostA == hostB || every(hostA) || every(hostB) || named)
}
