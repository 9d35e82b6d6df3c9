package backends

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
)

// otherWire is a server of no known kind, so that it may omit finish reasons.
var otherWire = studioWire.withPage("/v1/models", `{"data":[{"id":"m"}]}`).withName("other")

var sglangWire = vllmWire.withPage("/v1/models", `{"data":[{"id":"tiny","owned_by":"sglang"}]}`).withName(SGLang)

// caseWires lists the servers that cases can name; "each" means all of [wires].
var caseWires = append(slices.Clone(wires), otherWire,
	sglangWire,
	llamaWire.withPage("/props", `{"chat_template":"{% if enable_thinking %}"}`).withName("thinking llama.cpp"),
	decisionWire,
	decisionWire.withPage("/tokenize", `{"tokens":[`+strings.Repeat("0,", 40)+`0]}`).withName("decisions of 41 tokens"))

// decisionWire serves a decision model, without a tokenizer.
var decisionWire = wire{
	name:  "decisions",
	pages: map[string]string{},
	chat:  "/v1/systemone",
	lost:  respond(404, "404 page not found"),
	asks:  comparison,
	dial: func(url, key string, c *http.Client) Backend {
		b, err := Open(ServerInfo{WireFormat: systemOneFormat, URL: url + "/v1"}, key, c)
		if err != nil {
			panic(err)
		}
		return b
	},
}

// eachCase runs a file of cases: a server, ": " and what is given. Where what comes of it is not the same for each
// server, it has a line for each.
func eachCase(t *testing.T, file string, run func(t *testing.T, w wire, input string) string) {
	trials.RunCases(t, file, func(t *testing.T, input []string) []string {
		var each, results []string
		server, text, _ := strings.Cut(strings.Join(input, "\n"), ": ")
		for _, w := range caseWires {
			if w.name == server || server == "each" && len(results) < len(wires) {
				results = append(results, run(t, w, text))
				each = append(each, w.name+": "+results[len(results)-1])
			}
		}
		if len(slices.Compact(results)) == 1 {
			return results[:1]
		}
		return each
	})
}

// answer parses the status and body of an answer: "400 BODY" or "200 reply REASON MESSAGE and MEMBERS". The reason "-"
// means none; special characters are quoted as in Go.
func (w wire) answer(t *testing.T, input string) (status int, body string) {
	t.Helper()
	number, body, _ := strings.Cut(input, " ")
	status, err := strconv.Atoi(number)
	assert.NilError(t, err)
	if plain, err := strconv.Unquote(body); err == nil {
		body = plain
	}
	kind, rest, _ := strings.Cut(body, " ")
	switch kind {
	case "fail":
		message, err := strconv.Unquote(rest)
		assert.NilError(t, err)
		return status, w.fail(status, message)
	case "reply":
		reason, rest, _ := strings.Cut(rest, " ")
		message, members, _ := strings.Cut(rest, " and ")
		body = w.replyJSON(message, strings.Trim(reason, "-"))
		if members != "" {
			body = strings.TrimSuffix(body, "}") + "," + members + "}"
		}
	}
	return status, body
}

// replyJSON returns a reply with a finish reason in JSON; "": without one.
func (w wire) replyJSON(message, reason string) string {
	member := `"finish_reason":`
	if w.name == ollamaName {
		member = `"done_reason":`
	}
	reply := w.reply(message, "REASON")
	if reason == "" {
		reply = strings.Replace(reply, ","+member+`"REASON"`, "", 1) // in the middle, or last
		return strings.Replace(reply, member+`"REASON",`, "", 1)     // first
	}
	return strings.Replace(reply, `"REASON"`, reason, 1)
}

// TestAnswers: what is made of answers, by server. Of a templated reply only that is told which differs from a plain
// one of the same server.
func TestAnswers(t *testing.T) {
	eachCase(t, "answers.txt", func(t *testing.T, w wire, input string) string {
		status, body := w.answer(t, input)
		got, err := w.ask(t, respond(status, body))
		if err != nil {
			e := failed(t, err)
			return fmt.Sprintf("%s%s: %v", e.Kind, map[bool]string{true: ", may pass"}[e.IsRetryable()], e)
		}
		got.Took = 0
		for i := range got.LabelProbabilities {
			got.LabelProbabilities[i].Logprob = math.Round(1e4*got.LabelProbabilities[i].Logprob) / 1e4
		}
		fields := members(t, got)
		if strings.Contains(input, " reply ") {
			plain, err := w.ask(t, w.completeAnswer(""))
			assert.NilError(t, err)
			plain.Took = 0
			usual := members(t, plain)
			delete(usual, "text")
			delete(usual, "finish")
			trials.RemoveEqualMembers(usual, fields)
		}
		return string(mustJSON(fields))
	})
}

// TestRequests: what of a request's body is not as in that of [question], by server, and once the whole of it.
func TestRequests(t *testing.T) {
	eachCase(t, "requests.txt", func(t *testing.T, w wire, input string) string {
		input, whole := strings.CutPrefix(input, "whole ")
		req := question
		assert.NilError(t, json.Unmarshal([]byte(input), &req))
		body, _ := w.sent(t, "", req)
		plain, _ := w.sent(t, "", question)
		if !whole {
			trials.RemoveEqualMembers(plain, body)
		}
		return string(mustJSON(body))
	})
}

// TestServers: a server, pages of it that are not as usual, "-" for none, and names of models; then how it is found and
// what it says of itself, of its models and of each that is named.
func TestServers(t *testing.T) {
	eachCase(t, "servers.txt", func(t *testing.T, w wire, input string) string {
		names, pages, _ := strings.Cut(input, "\n")
		for page := range strings.Lines(pages) {
			path, body, _ := strings.Cut(strings.TrimSpace(page), " ")
			w = w.withPage(path, strings.TrimSuffix(body, "-"))
		}
		s := w.start(t)
		b := s.client(w, "")
		result := func(v any, err error) string {
			if err != nil {
				return strings.ReplaceAll(fmt.Sprintf("%s: %v", failed(t, err).Kind, err), s.URL, "URL")
			}
			return strings.ReplaceAll(string(mustJSON(v)), s.URL, "URL")
		}
		probed, err := Probe(t.Context(), s.Server.Client(), s.URL, "")
		results := []string{"found " + result(probed, err)}
		server, err := b.Server(t.Context())
		if server != probed {
			results = append(results, "server "+result(server, err))
		}
		models, err := b.Models(t.Context())
		results = append(results, "models "+result(models, err))
		for name := range strings.FieldsSeq(names) {
			m, err := b.Model(t.Context(), name)
			results = append(results, name+" "+result(m, err))
		}
		return strings.Join(results, "\n  ")
	})
}

// members returns the members of a value's JSON.
func members(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	assert.NilError(t, json.Unmarshal(mustJSON(v), &m))
	return m
}
