package config

import "testing"

func TestAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true, "[::ffff:127.0.0.1]:80": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "10.0.0.5:80": false, "localhost.example.com:80": false, "h:80": false,
	} {
		if got := loopback(address); got != want {
			t.Errorf("loopback(%s) = %t", address, got)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "127.0.0.1:81", false},
		{":80", "127.0.0.1:80", true},
		{"10.0.0.5:80", "[::]:80", true},
		{"localhost:80", "[::1]:80", true},
		{"127.0.0.1:80", "[::1]:80", false},
		{"127.0.0.1:0", "127.0.0.1:0", false}, // each gets a port of its own
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("same(%s, %s) = %t", c.a, c.b, got)
		}
	}
}
