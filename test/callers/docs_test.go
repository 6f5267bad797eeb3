package callers

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestClientsPage holds docs/clients.md against what is pinned and what is
// tried: a row for each client, with its version and the number of its calls.
func TestClientsPage(t *testing.T) {
	page := read(t, "../../docs/clients.md")
	for _, group := range []struct {
		clients []Client
		version func(name string) string
	}{
		{Node(), npm(t)},
		{Go(), pinned(read(t, "../go.mod"), `(?m)^\s*github\.com/\S*?%s(?:/v\d+)? v(\S+)$`)},
		{Python(), pinned(read(t, "../real/callers.txt"), `(?m)^%s==(\S+)$`)},
	} {
		for _, c := range group.clients {
			library, _, _ := strings.Cut(c.Name, ",")
			row := fmt.Sprintf("| `%s` %s |", library, group.version(library))
			calls := fmt.Sprintf("| %d |", len(table([]Client{c}, scenarios())))
			found := false
			for line := range strings.Lines(page) {
				found = found || strings.HasPrefix(line, row) && strings.Contains(line, "| "+string(c.Speaks)+" ") && strings.Contains(line, calls)
			}
			if !found {
				t.Errorf("docs/clients.md has no row for %s that begins with %q, says %s and has %q", c.Name, row, c.Speaks, calls)
			}
		}
	}
}

func npm(t *testing.T) func(string) string {
	var p struct{ Dependencies map[string]string }
	if err := json.Unmarshal([]byte(read(t, "../sdk/package.json")), &p); err != nil {
		t.Fatal(err)
	}
	return func(name string) string { return p.Dependencies[name] }
}

func pinned(text, form string) func(string) string {
	return func(name string) string {
		if m := regexp.MustCompile(fmt.Sprintf(form, regexp.QuoteMeta(name))).FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return "(not pinned)"
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
