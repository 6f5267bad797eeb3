package request

import (
	"net/url"
	"strings"

	"weir.dev/weir"
)

// URL is where a request for a model goes, streamed or not. base is a host, an
// API's base as its documentation or SDK names it (http://h/v1), or the full
// path, which is kept as it is. A query in base is kept (Azure's api-version).
func URL(base string, d weir.Dialect, model string, stream bool) (string, error) {
	u, err := parseBase(base)
	if err != nil {
		return "", err
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	for _, other := range weir.Dialects() {
		if isFullPath(path, other) {
			if !isFullPath(path, d) {
				return "", badURL(base, "this is the path of "+string(other)+" and the dialect is "+string(d), "give the base URL, or the dialect that the path has")
			}
			return withPath(u, path, streamQuery(u.RawQuery, d, strings.Contains(path, ":stream"))), nil
		}
	}
	query := streamQuery(u.RawQuery, d, stream)
	return withPath(u, path+suffix(path, d, model, stream), query), nil
}

// streamQuery asks Gemini for events; without it a stream is one long JSON list.
func streamQuery(query string, d weir.Dialect, stream bool) string {
	if d != weir.Gemini || !stream || strings.Contains("&"+query+"&", "&alt=sse&") {
		return query
	}
	return strings.TrimPrefix(query+"&alt=sse", "&")
}

func withPath(u *url.URL, escapedPath, query string) string {
	s := u.Scheme + "://" + u.Host + escapedPath
	if query != "" {
		s += "?" + query
	}
	return s
}

// isFullPath tells whether the path is d's own. Completions and chat share
// their ending, so the longer one is told apart.
func isFullPath(path string, d weir.Dialect) bool {
	switch d {
	case weir.OpenAIChat:
		return strings.HasSuffix(path, "/chat/completions")
	case weir.OpenAICompletions:
		return strings.HasSuffix(path, "/completions") && !isFullPath(path, weir.OpenAIChat)
	case weir.OpenAIResponses:
		return strings.HasSuffix(path, "/responses")
	case weir.Anthropic:
		return strings.HasSuffix(path, "/messages")
	case weir.Gemini:
		return strings.HasSuffix(path, ":streamGenerateContent") || strings.HasSuffix(path, ":generateContent")
	case weir.Ollama:
		return strings.HasSuffix(path, "/api/chat")
	}
	return false
}

// suffix is what follows an API's base path. A bare host gets the version that
// every server of the dialect has.
func suffix(path string, d weir.Dialect, model string, stream bool) string {
	version := ""
	switch d {
	case weir.OpenAIChat, weir.OpenAICompletions, weir.OpenAIResponses:
		if path == "" {
			version = "/v1"
		}
		return version + map[weir.Dialect]string{
			weir.OpenAIChat: "/chat/completions", weir.OpenAICompletions: "/completions", weir.OpenAIResponses: "/responses",
		}[d]
	case weir.Anthropic: // its SDK's base has no version
		if !strings.HasSuffix(path, "/v1") {
			version = "/v1"
		}
		return version + "/messages"
	case weir.Gemini:
		if path == "" {
			version = "/v1beta"
		}
		method := ":generateContent"
		if stream {
			method = ":streamGenerateContent"
		}
		if strings.HasSuffix(path, "/models") {
			return "/" + url.PathEscape(strings.TrimPrefix(model, "models/")) + method
		}
		return version + "/models/" + url.PathEscape(strings.TrimPrefix(model, "models/")) + method
	default:
		if !strings.HasSuffix(path, "/api") {
			version = "/api"
		}
		return version + "/chat"
	}
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case base == "":
		return nil, &weir.Error{Code: "bad_url", Message: "no URL", Hint: "give one like http://localhost:8000/v1"}
	case err != nil:
		// Without the cause: it repeats the URL whole, and a key may be in it.
		return nil, badURL(base, "not a URL", "one like http://localhost:8000/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, badURL(base, "not http or https", "one like http://localhost:8000/v1")
	case u.Hostname() == "":
		return nil, badURL(base, "no host", "one like http://localhost:8000/v1")
	case u.User != nil:
		return nil, badURL(base, "a user or key stands before the host", "keys are read from the environment")
	case u.Fragment != "":
		return nil, badURL(base, "a fragment (#...) is never sent", "leave it out")
	}
	return u, nil
}

func badURL(base, what, hint string) error {
	return &weir.Error{Code: "bad_url", Message: "URL " + withoutSecrets(base) + ": " + what, Hint: hint}
}

// withoutSecrets is base without what may be a key: query and user.
func withoutSecrets(base string) string {
	base, _, _ = strings.Cut(base, "?")
	if at := strings.LastIndex(base, "@"); at >= 0 {
		scheme, _, found := strings.Cut(base[:at], "://")
		if !found {
			scheme = "..."
		}
		base = scheme + "://...@" + base[at+1:]
	}
	return strings.ToValidUTF8(base, "?")
}
