package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gavel/internal/eval"
	"gavel/judging"
)

// twoModels is one server with the models "one" and "two", as on a workstation.
// It notes which of them each call was for.
type twoModels struct {
	*judge
	mu    sync.Mutex
	loads []string
	fails string                   // model that refuses every call
	gate  func(call int, m string) // called before a call is answered; may be nil
}

func newTwoModels(t *testing.T) *twoModels {
	t.Helper()
	s := &twoModels{}
	s.judge = newJudge(t, false, choosesByHash)
	ready := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			text(`{"object":"list","data":[{"id":"one","owned_by":"test"},{"id":"two","owned_by":"test"}]}`)(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var req struct{ Model string }
		json.Unmarshal(body, &req)
		s.mu.Lock()
		s.loads = append(s.loads, req.Model)
		n, refused, gate := len(s.loads), s.fails == req.Model, s.gate
		s.mu.Unlock()
		if refused {
			http.Error(w, `{"error":{"message":"no such luck"}}`, http.StatusUnauthorized)
			return
		}
		if gate != nil {
			gate(n, req.Model)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		ready.ServeHTTP(w, r)
	})
	return s
}

func (s *twoModels) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// choosesByHash names one of the first two options; which, follows from the
// question.
func choosesByHash(_ int64, user string) (int, string) {
	h := fnv.New32a()
	io.WriteString(h, user)
	return http.StatusOK, fmt.Sprintf("Selection: Option %d\nExplanation: so it is.", 1+h.Sum32()%2)
}

// aSuite is 2 judges × 2 goals × 2 prompts of multi-option on four items: eight
// cells of perCell judgments.
func aSuite(t *testing.T, s *twoModels, out, more string) string {
	t.Helper()
	return write(t, out+".yaml", fmt.Sprintf(`
out: %s
defaults: {concurrency: 2, base-url: %s, limit: 4, retry-for: 1ms}
judges:
  - model: one
  - {name: second, model: two}
conditions:
  - protocol: multi-option
    dataset: sample-options
    goal: [best, worst]
    prompt: [1, 2]
%s`, out, s.URL, more))
}

var aSuiteCells = []string{
	"one_multi-option_sample-options_1_goal-best", "one_multi-option_sample-options_2_goal-best", "one_multi-option_sample-options_1_goal-worst", "one_multi-option_sample-options_2_goal-worst",
	"second_multi-option_sample-options_1_goal-best", "second_multi-option_sample-options_2_goal-best", "second_multi-option_sample-options_1_goal-worst", "second_multi-option_sample-options_2_goal-worst",
}

// perCell is how many judgments the first four items of sample-options take.
func perCell(t *testing.T) int {
	t.Helper()
	set, err := (&env{}).library().Open("sample-options")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	n := 0
	for i := range 4 {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		n += len(item.Candidates)
	}
	return n
}

// wantSame checks that every cell of a suite came to what another suite's did.
func wantSame(t *testing.T, out, undisturbed string) {
	t.Helper()
	for _, c := range aSuiteCells {
		if read(t, filepath.Join(out, c, "results.json")) != read(t, filepath.Join(undisturbed, c, "results.json")) {
			t.Errorf("%s: results.json differs from that of an undisturbed suite", c)
		}
	}
}

// TestSuiteSpeed: a run of four calls at a time, each of which took two seconds,
// took half a second for each; what the cache answered took none.
func TestSuiteSpeed(t *testing.T) {
	home(t)
	s := newTwoModels(t)
	mustCall(t, "suite", "run", aSuite(t, s, "runs/a", ""))
	dir := filepath.Join("runs/a", aSuiteCells[0])
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Concurrency = 4
	var lines strings.Builder
	for i, r := range records(t, dir) {
		r.Replies[0].Milliseconds, r.Replies[0].ReplyTokens = 2000, 30
		if i%2 == 1 {
			r.Replies[0] = judging.Reply{Text: r.Replies[0].Text, Finish: r.Replies[0].Finish, Milliseconds: 9000, ReplyTokens: 90, Cached: true}
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	write(t, filepath.Join(dir, "records.jsonl"), lines.String())
	if err := judging.WriteJSON(filepath.Join(dir, "run.json"), m); err != nil {
		t.Fatal(err)
	}
	for _, c := range aSuiteCells[1:4] {
		os.RemoveAll(filepath.Join("runs/a", c))
	}
	speeds := eval.SpeedsIn("runs/a", "runs")
	for name, tt := range map[string]struct {
		protocol, prompt string
		basis            string
	}{
		"the same": {"multi-option", "1", "earlier runs"},
		"near":     {"multi-option", "3", "earlier runs, other prompts"},
		"far":      {"answer", "paper", "earlier runs, other protocols"},
	} {
		p := speeds.Of(m.Spec.Model, tt.protocol, tt.prompt)
		if p == nil || p.Basis != tt.basis || p.Seconds != 0.5 || p.ReplyTokens != 30 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	other := m.Spec.Model
	other.Identity += " changed"
	if p := speeds.Of(other, "multi-option", "1"); p != nil {
		t.Errorf("of another model: %+v", p)
	}
}
