package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// anyAnswer is a server that answers everything with the same status and body.
type anyAnswer struct {
	status int
	body   string
}

func (a anyAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		a = anyAnswer{200, `{"data":[]}`}
	}
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Header: http.Header{}, Request: r,
		ContentLength: int64(len(a.body)), Body: io.NopCloser(strings.NewReader(a.body)),
	}, nil
}

// FuzzJudgment goes the whole way, from the bytes of a server's answer, or of
// what the judge says in one, to the record: no panic, never a verdict that the
// prompt did not offer or that is not in the reply, and a record that reads
// back as it was written.
func FuzzJudgment(f *testing.F) {
	for _, s := range []string{
		"[[A>B]]", "[[A=B]]", "<think>[[A>B]]</think>[[B>A]]", "[[A>>B]]", "[[C]]", "", "null", "\xff\xed\xa0\x80", `\ud83d`, "[[A<B]] \x00\u2028",
		`{"choices":[{"message":{"content":"[[A>B]]"},"finish_reason":"stop"}],"message":{"content":"[[A>B]]"},"done":true}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"[[B>A]]"}]}}]}`, `{"message":{"content":"[[A>B]]"},"done":false}`,
		`{"choices":[{"message":{"content":null,"reasoning":"[[A>B]]"}}],"message":{"content":"","thinking":"[[A>B]]"},"done":true}`,
		`{"error":"the input length exceeds the context length [[A>B]]"}`, "<html>[[A>B]]",
	} {
		f.Add(200, s)
		f.Add(400, s)
	}
	set, err := datasets.Library{}.Open("sample")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { set.Close() })
	protocol, err := judging.ProtocolNamed("pairwise")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, words string) {
		if status < 200 || status > 599 {
			return
		}
		line := string(lineOf(t, words))
		template := protocol.Templates[len(words)%len(protocol.Templates)]
		for _, answer := range []struct {
			body           string
			ollama, openAI bool
		}{
			{words, true, true}, // as the whole answer, and as what the judge says
			{`{"message":{"role":"assistant","content":` + line + `},"done":true,"done_reason":"stop"}`, true, false},
			{`{"choices":[{"message":{"role":"assistant","content":` + line + `},"finish_reason":"stop"}]}`, false, true},
		} {
			c := &http.Client{Transport: anyAnswer{status, answer.body}}
			var clients []backends.Client
			if answer.ollama {
				b, err := backends.NewOllama("http://server", c)
				if err != nil {
					t.Fatal(err)
				}
				clients = append(clients, b)
			}
			if answer.openAI {
				clients = append(clients, backends.NewOpenAI("http://server", "", c))
			}
			for _, client := range clients {
				checkJudgments(t, protocol.NewAsker(template, nil), template.Labels, set, client, answer.body)
			}
		}
	})
}

// allowed are the labels of each meaning, and the ways to write them.
var allowed = map[string][]string{
	"A>B": {"A>B", "A>>B", "B<A", "B<<A"},
	"B>A": {"B>A", "B>>A", "A<B", "A<<B"},
	"A=B": {"A=B", "B=A"},
}

func checkJudgments(t *testing.T, p judging.Asker, offered []string, set *datasets.Set, client backends.Client, body string) {
	t.Helper()
	m := &judging.Manifest{Spec: judging.Spec{Parameters: judging.DefaultParameters}}
	m.Spec.Parameters.VerdictAttempts = 1
	job := judging.RunJob{Manifest: m, Asker: p, Set: set, Rows: []int{0}, Client: client, Now: func() time.Time { return time.Time{} }}
	games := 0
	job.Write = func(r *judging.Record) error {
		games++
		checkRecord(t, p, offered, r, body)
		return nil
	}
	if err := job.Run(context.Background()); err != nil || games != 2 {
		t.Errorf("%q: %d games, %v", body, games, err)
	}
}

// checkOffered looks at a verdict that names a place, or calls both equal.
func checkOffered(t *testing.T, outcome judging.Outcome, label string, place int, offered []string, body string) {
	t.Helper()
	plain := "A=B"
	if outcome == judging.Decided {
		plain = []string{"A>B", "B>A"}[place]
	}
	written := func(l string) bool { return slices.Contains(allowed[plain], l) }
	if !written(label) || !slices.ContainsFunc(offered, written) {
		t.Errorf("%q: label %q is taken for %s, offered was %v", body, label, plain, offered)
	}
}

func checkRecord(t *testing.T, p judging.Asker, offered []string, r *judging.Record, body string) {
	t.Helper()
	switch r.Outcome {
	case judging.Decided, judging.Tie:
		checkOffered(t, r.Outcome, r.Label, slices.Index(r.Order, r.Choice), offered, body)
		if len(r.Replies) != 1 || !strings.Contains(r.Replies[0].Text, "[["+r.Label+"]]") {
			t.Errorf("%q: %q is not in the reply %+v", body, r.Label, r.Replies)
		}
	case judging.Failed:
		if r.Error == "" || len(r.Replies) != 0 || strings.ContainsAny(r.Error, "\r\n") {
			t.Errorf("%q: failed with %q and %+v", body, r.Error, r.Replies)
		}
	}
	line := lineOf(t, r)
	var back judging.Record
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if second := lineOf(t, &back); !bytes.Equal(second, line) {
		t.Errorf("wrote %s\nread  %s", line, second)
	}
	if r.Outcome == judging.Failed {
		return
	}
	v, err := back.Read(p, judging.ReadingOptions{Readers: judging.PaperReaders, LabelPolicy: judging.PolicyUniqueLabel}) // as it is recorded
	if err != nil || v.Outcome != r.Outcome || v.Label != r.Label || back.CandidateID(v.Choice) != r.Choice {
		t.Errorf("recorded %s %q for %q, and read again %+v, %v", r.Outcome, r.Label, r.Choice, v, err)
	}
}

func lineOf(t *testing.T, r any) []byte {
	t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return line
}
