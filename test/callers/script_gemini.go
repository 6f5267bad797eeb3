package callers

import (
	"encoding/json"
	"fmt"
	"strings"
)

func readGemini(path string, body []byte) (scripted, error) {
	type part struct {
		Response *struct {
			Name     string
			Response struct{ Output json.RawMessage }
		} `json:"functionResponse"`
	}
	var r struct {
		Tools    []struct{ FunctionDeclarations []struct{ Name string } }
		Contents []struct{ Parts []part }
	}
	err := json.Unmarshal(body, &r)
	s := scripted{model: modelOf(path, nil), stream: strings.HasSuffix(path, ":streamGenerateContent"), results: map[string]string{}}
	for _, t := range r.Tools {
		s.tools += len(t.FunctionDeclarations)
	}
	gauges := []string{"north", "south"}
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			if n := len(s.results); p.Response != nil && p.Response.Name == "level" && n < len(gauges) {
				s.results[gauges[n]] = textOf(p.Response.Response.Output)
			}
		}
	}
	return s, err
}

func geminiAnswer(asked scripted, a said) string {
	usage := fmt.Sprintf(`"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d,"cachedContentTokenCount":%d}`, scriptInput, scriptOutput, scriptInput+scriptOutput, scriptCached)
	chunk := func(finish string, parts ...string) string {
		if finish != "" {
			finish = `"finishReason":"` + finish + `",`
		}
		return fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},%s"index":0}],%s,"modelVersion":"script-1","responseId":"r-1"}`, strings.Join(parts, ","), finish, usage)
	}
	var calls []string
	for _, gauge := range a.calls {
		calls = append(calls, `{"functionCall":{"name":"level","args":`+arguments(gauge)+`}}`)
	}
	if !asked.stream {
		return chunk("STOP", append([]string{`{"text":` + quote(a.text) + `}`}, calls...)...)
	}
	var b strings.Builder
	for _, half := range halves(a.text) {
		fmt.Fprintf(&b, "data: %s\r\n\r\n", chunk("", `{"text":`+quote(half)+`}`))
	}
	if len(calls) == 0 {
		calls = []string{`{"text":""}`}
	}
	fmt.Fprintf(&b, "data: %s\r\n\r\n", chunk("STOP", calls...))
	return b.String()
}
