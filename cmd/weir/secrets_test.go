package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// planted is a secret for a place, with all the signs that some encoding
// changes.
func planted(place string) string {
	sum := sha256.Sum256([]byte(place))
	h := hex.EncodeToString(sum[:])
	return "sk-" + h[:12] + `/Q+=&<"\` + h[12:24]
}

// guises are the forms in which a secret must not be found.
func guises(secret string) []string {
	raw := []byte(secret)
	quoted, _ := json.Marshal(secret)
	return []string{
		secret[3:15], secret[len(secret)-12:], escaped(secret[3:15]),
		strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret),
		strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "="), strings.TrimRight(base64.URLEncoding.EncodeToString(raw), "="),
	}
}

// secretsRig is a folder with a config that holds a secret in every place.
type secretsRig struct {
	places map[string]string
	env    map[string]string
	server *gossip
	url    string
}

func newSecretsRig(t *testing.T) *secretsRig {
	t.Helper()
	r := &secretsRig{places: map[string]string{}, server: &gossip{heard: map[string]map[string]bool{}}}
	at := func(place string) string {
		s := planted(place)
		r.places[place] = s
		r.server.secrets = append(r.server.secrets, s)
		return s
	}
	r.env = map[string]string{
		"GROQ_API_KEY": at("a preset's variable"), "MINE_KEY": at("${VAR}"), "MINE_HEADER": at("${VAR} in a header"),
		"URL_KEY": at("--key-env"), "ARGUMENT": at("an argument of a command"),
		"OPENAI_API_KEY": at("a variable that is not used"),
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"key":     at("${file:}") + "\n",
		"printed": at("what a command prints") + "\n",
		"noise":   at("what a command complains") + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(r.server)
	t.Cleanup(srv.Close)
	r.url = srv.URL
	literal, header := at("api_key"), at("headers")
	var providers, targets strings.Builder
	for _, kind := range gossipKinds {
		base := "{base_url: " + srv.URL + "/" + kind + "/v1, "
		if kind == "nowhere" {
			base = "{base_url: http://127.0.0.1:1/v1, "
		}
		quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		for _, p := range [][2]string{
			{"var-" + kind, `api_key: "${MINE_KEY}", headers: {X-Mine: "${MINE_HEADER}"}}`},
			{"file-" + kind, `api_key: "${file:key}"}`},
			{"literal-" + kind, "api_key: " + quoted(literal) + ", headers: {X-Company: " + quoted("Basic "+header) + "}}"},
			{"command-" + kind, `auth: {command: [sh, -c, "cat noise >&2; cat printed", "${ARGUMENT}"]}}`},
			{"failing-" + kind, `auth: {command: [sh, -c, "cat noise >&2; cat printed; cat printed; exit 1", "${ARGUMENT}"]}}`},
		} {
			fmt.Fprintf(&providers, "  %s: %s%s\n", p[0], base, p[1])
			fmt.Fprintf(&targets, "      - {provider: %s, model: m}\n", p[0])
		}
	}
	fmt.Fprintf(&providers, "  groq: {base_url: %s/unauthorized/v1}\n", srv.URL)
	fmt.Fprintf(&targets, "      - {provider: groq, model: m}\n")
	if err := os.WriteFile("weir.yaml", []byte("providers:\n"+providers.String()+"models:\n  all-of-them:\n    targets:\n"+targets.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// hides fails for every secret that is in the texts, or in a file below the
// folders, in any guise.
func (r *secretsRig) hides(t *testing.T, what string, o outcome, folders ...string) {
	t.Helper()
	texts := map[string]string{"standard output": o.out, "standard error": o.err}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				texts[path] = string(readFile(t, path))
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for where, text := range texts {
		texts[where] = strings.ToLower(text)
	}
	for _, place := range slices.Sorted(maps.Keys(r.places)) {
		all := guises(r.places[place])
		if strings.HasSuffix(place, ", encoded") {
			all = all[:2]
		}
		for _, g := range all {
			for where, text := range texts {
				if at := strings.Index(text, strings.ToLower(g)); at >= 0 {
					t.Errorf("%s: the secret of %s is in %s: ...%s...", what, place, where, text[max(0, at-200):min(len(text), at+100)])
				}
			}
		}
	}
}

func (r *secretsRig) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return weirWith(t.Context(), r.env, "", args...)
}

// extras are flags that hold secrets in the body and in a header.
func (r *secretsRig) extras() []string {
	for _, place := range []string{"--extra-body", "--body", "--header"} {
		if r.places[place] == "" {
			r.places[place] = planted(place)
			r.server.secrets = append(r.server.secrets, r.places[place])
		}
	}
	tool, _ := json.Marshal(map[string]any{
		"api_key": r.places["--extra-body"],
		"tools":   []any{map[string]any{"type": "mcp", "headers": map[string]string{"X-Any": "Bearer " + r.places["--extra-body"]}}},
	})
	session, _ := json.Marshal(map[string]string{"access_token": r.places["--body"]})
	return []string{"--extra-body", string(tool), "--body", "session=" + string(session), "--header", "X-Gateway-Token=" + r.places["--header"]}
}

// TestSecretsAreNowhere: what is a secret in one of the places where a user can
// put one is in nothing that weir prints or keeps, whatever the server does
// with it.
func TestSecretsAreNowhere(t *testing.T) {
	r := newSecretsRig(t)
	urls := []string{}
	for _, kind := range gossipKinds[:len(gossipKinds)-1] {
		urls = append(urls, r.url+"/"+kind+"/v1")
	}
	named := slices.Concat([]string{"bench", "all-of-them", "-n", "2", "--warmup", "1", "--seed", "1", "--first-output-timeout", "2s"}, r.extras())
	byURL := slices.Concat([]string{"bench"}, urls, []string{"--model", "m", "-n", "2", "--warmup", "1"}, r.extras())
	for range urls {
		byURL = append(byURL, "--key-env", "URL_KEY")
	}
	for name, args := range map[string][]string{"named": named, "by URL": byURL} {
		for _, output := range []string{"table", "json"} {
			what := name + " as " + output
			o := r.run(t, append(slices.Clone(args), "-o", output, "--save", name+output)...)
			if o.code != 0 || !strings.Contains(o.out, "redirect") {
				t.Errorf("%s: code %d\n%s%s", what, o.code, o.out, o.err)
			}
			r.hides(t, what, o, name+output)
		}
		o := r.run(t, append(slices.Clone(args), "--dry-run")...)
		if o.code != 0 || !strings.Contains(o.out, hidden) {
			t.Errorf("dry run: %+v", o)
		}
		r.hides(t, name+", dry run", o)
	}
	r.everybodyHeard(t)
}

// everybodyHeard holds the test itself to account: the secrets were really
// sent.
func (r *secretsRig) everybodyHeard(t *testing.T) {
	t.Helper()
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	never := []string{"a variable that is not used", "an argument of a command", "what a command complains"}
	for place, secret := range r.places {
		kinds := slices.DeleteFunc(slices.Clone(gossipKinds), func(k string) bool { return k == "nowhere" })
		if place == "a preset's variable" {
			kinds = []string{"unauthorized"}
		}
		for _, kind := range kinds {
			if heard := r.server.heard[kind][secret]; heard == slices.Contains(never, place) {
				t.Errorf("%s: the server heard the secret of %s: %v", kind, place, heard)
			}
		}
	}
}

// The other commands, and refusals of what is typed in the wrong place.
func TestSecretsAreNowhereElse(t *testing.T) {
	r := newSecretsRig(t)
	r.hides(t, "check", r.run(t, "check"))
	for _, args := range []string{"providers", "providers -o json", "models", "models groq"} {
		r.hides(t, args, r.run(t, strings.Fields(args)...))
	}
	for _, kind := range gossipKinds {
		users := []string{"literal", "command"}
		if kind == "list" {
			users = []string{"var", "file", "literal", "command", "failing"}
		}
		for _, who := range users {
			for _, output := range []string{"table", "json"} {
				if kind != "list" && output == "table" {
					continue // it says the same
				}
				o := r.run(t, "models", who+"-"+kind, "-o", output)
				if (o.code == 0) != (kind == "list" && who != "failing") {
					t.Errorf("models %s-%s: %+v", who, kind, o)
				}
				r.hides(t, "models "+who+"-"+kind, o)
			}
		}
		r.hides(t, "models by URL", r.run(t, "models", r.url+"/"+kind+"/v1", "--key-env", "URL_KEY"))
	}
	typed := "sk-" + planted("what is typed")[3:15] + "0123456789ab" // of the form that real keys have
	r.places["what is typed"] = typed
	inURL := url.QueryEscape(typed)
	password := "Pw-" + planted("a typed password")[3:15] + "-and-more-of-it"
	r.places["a typed password"] = password
	for _, args := range [][]string{
		{"bench", r.url + "/v1", "--model", "m", "--header", "Authorization: Bearer " + typed},
		{"bench", r.url + "/v1", "--model", "m", "--header", "Cookie=" + typed},
		{"bench", r.url + "/v1", "--model", "m", "--header", typed},
		{"bench", r.url + "/v1?key=" + inURL, "--model", "m"},
		{"bench", r.url + "/v1?sig=" + typed, "--model", "m"},
		{"bench", "http://me:" + inURL + "@127.0.0.1:1/v1", "--model", "m"},
		{"bench", "http://" + inURL + "@127.0.0.1:1/v1", "--model", "m"},
		{"bench", "http://me:" + typed + "@127.0.0.1:1/v1", "--model", "m"},
		{"bench", "me:" + inURL + "@127.0.0.1/v1", "--model", "m"},
		{"bench", "me:" + password + "@127.0.0.1/v1", "--model", "m"},
		{"bench", "me:" + password + "@127.0.0.1:80", "--model", "m"},
		{"bench", "ftp://me:" + password + "@127.0.0.1:80", "--model", "m"},
		{"bench", "//me:" + password + "@127.0.0.1:80/v1", "--model", "m"},
		{"bench", typed, "--model", "m"},
		{"bench", "groq/m", "--key-env", typed},
		{"bench", "groq/m", "-n", typed},
		{"bench", "groq/m", "--body", typed},
		{"bench", "groq/m", "--extra-body", typed},
		{"bench", "groq/m", "--budget", typed},
		{"bench", "groq/m", "--" + typed},
		{"bench", "groq/m", "-c", typed},
		{"models", typed},
		{"models", "http://me:" + inURL + "@127.0.0.1:1/v1"},
		{"models", r.url + "/v1?key=" + inURL},
		{typed},
	} {
		o := r.run(t, args...)
		if o.code != 2 {
			t.Errorf("weir %s: %+v", args, o)
		}
		r.hides(t, "weir "+strings.Join(args[:2%len(args)], " "), o)
	}
}

// A config that is broken around its secrets.
func TestSecretsOfABrokenConfig(t *testing.T) {
	r := newSecretsRig(t)
	literal := "sk-" + planted("api_key")[3:15] + "0123456789ab" // of the form that real keys have
	r.places["api_key"] = literal
	quoted, _ := json.Marshal(planted("api_key"))
	sound := strings.ReplaceAll(string(readFile(t, "weir.yaml")), string(quoted), `"`+literal+`"`)
	for what, broken := range map[string]string{
		"an unknown key": strings.Replace(sound, "api_key: \"sk", "api_ky: \"sk", 1),
		"a lost quote":   strings.Replace(sound, literal+`"`, literal, 1),
		"a lost brace":   strings.Replace(sound, "}}", "", 3),
		"a lost file":    strings.ReplaceAll(sound, "${file:key}", "${file:nokey}"),
		"a lost dialect": strings.Replace(sound, "api_key: \"sk", "dialect: nope, api_key: \"sk", 1),
	} {
		if err := os.WriteFile("broken.yaml", []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"check", "-c", "broken.yaml"}, {"bench", "-c", "broken.yaml", "literal-unauthorized/m", "--dry-run"}} {
			o := r.run(t, args...)
			if o.code != 2 && args[0] == "check" {
				t.Errorf("%s: %+v", what, o)
			}
			r.hides(t, what, o)
		}
	}
}

// A proxy's password goes to the proxy, which may repeat it like anybody.
func TestProxySecretsAreNowhere(t *testing.T) {
	r := newSecretsRig(t)
	password := planted("a proxy's password")
	r.places["a proxy's password"] = password
	r.server.secrets = append(r.server.secrets, password)
	proxy, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	for place, login := range map[string]string{"a proxy's login, encoded": "user:" + password, "a proxy's token, encoded": password + ":"} {
		r.places[place] = strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(login)), "=")
	}
	for name, user := range map[string]*url.Userinfo{"HTTP_PROXY": url.UserPassword("user", password), "http_proxy": url.User(password)} {
		proxy.User = user
		r.env = map[string]string{name: proxy.String(), "URL_KEY": r.env["URL_KEY"]}
		for _, kind := range []string{"unauthorized", "plain", "chatty", "garbage"} {
			args := []string{"http://api.invalid/" + kind + "/v1", "--key-env", "URL_KEY"}
			dir := filepath.Join(t.TempDir(), "run")
			o := r.run(t, slices.Concat([]string{"bench"}, args, []string{"-n", "1", "--warmup", "0", "--model", "m", "--budget", "1usd", "--save", dir})...)
			r.hides(t, "bench by a proxy, "+kind, o, dir)
			r.hides(t, "models by a proxy, "+kind, r.run(t, append([]string{"models"}, args...)...))
		}
	}
	r.env = map[string]string{"HTTPS_PROXY": proxy.String()}
	o := r.run(t, "bench", "https://api.invalid/v1", "--model", "m", "--budget", "1usd", "-n", "1")
	r.hides(t, "a proxy's refusal", o)
	if !strings.Contains(o.err, hidden) || !r.server.heard["connect"][password] {
		t.Errorf("a proxy's refusal: %+v", o)
	}
	if !r.server.heard["unauthorized"][password] {
		t.Error("the proxy never heard its password")
	}
	for _, dead := range []string{"http://me:" + url.QueryEscape(password) + "@127.0.0.1:1", "socks5://me:" + url.QueryEscape(password) + "@127.0.0.1:1", "ftp://me:" + url.QueryEscape(password) + "@127.0.0.1:1"} {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
			r.env = map[string]string{name: dead}
			for _, scheme := range []string{"http", "https"} {
				r.hides(t, "a dead proxy", r.run(t, "bench", scheme+"://api.invalid/v1", "--model", "m", "-n", "1", "--budget", "1usd"))
			}
		}
	}
	r.env = map[string]string{"HTTPS_PROXY": "http://me:" + password + "@%zz"}
	o = r.run(t, "bench", "https://api.invalid/v1", "--model", "m", "--budget", "1usd")
	o.oneClearLine(t, 2, "HTTPS_PROXY", "http://proxy.example:3128")
	r.hides(t, "an unfit proxy", o)
}

// A recording may hold the key that it was made with.
func TestSecretsOfARecording(t *testing.T) {
	r := newSecretsRig(t)
	for _, kind := range []string{"unauthorized", "frame", "chatty", "malformed"} {
		rec := httptest.NewRecorder()
		req := httptest.NewRequest(http.MethodPost, "/"+kind+"/v1", strings.NewReader("{}"))
		req.Header.Set("Authorization", "Bearer "+r.env["GROQ_API_KEY"])
		r.server.ServeHTTP(rec, req)
		var raw bytes.Buffer
		w := bufio.NewWriter(&raw)
		_ = rec.Result().Write(w)
		w.Flush()
		for _, output := range []string{"text", "json"} {
			o := weirWith(t.Context(), r.env, raw.String(), "inspect", "-o", output)
			if output == "text" && !strings.Contains(o.out, hidden) {
				t.Errorf("%s as %s: %+v", kind, output, o)
			}
			r.hides(t, "inspect "+kind, o)
			if output == "json" && !json.Valid([]byte(o.out)) {
				t.Errorf("%s: no JSON: %s", kind, o.out)
			}
		}
	}
}
