package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/multioption"
)

// prefixWork is what a server read of the prompts of several options, asked in
// one order.
type prefixWork struct {
	Read, Cached int // tokens
	Milliseconds float64
}

// readPrompts asks for every presentation of the items and adds up what llama.cpp
// says that it read. byItem: all presentations of an item one after the other, as a
// run asks them; else the first presentation of every item, then the second of each.
// mark makes the system message another, so that nothing asked for before helps.
func readPrompts(t *testing.T, url, orders, mark string, items []datasets.Item, byItem bool) (w prefixWork) {
	t.Helper()
	protocol, err := judging.ProtocolNamed("multi-option")
	if err != nil {
		t.Fatal(err)
	}
	p := protocol.New(protocol.Templates[0], judging.Settings{multioption.OrdersOption.Name: orders})
	var prompts []judging.Prompt
	most := 0
	for _, item := range items {
		most = max(most, len(p.Presentations(item)))
	}
	for i := range most * len(items) {
		item, presentation := i/most, i%most
		if !byItem {
			item, presentation = i%len(items), i/len(items)
		}
		if list := p.Presentations(items[item]); presentation < len(list) {
			prompts = append(prompts, p.Prompt(items[item], list[presentation]))
		}
	}
	for _, prompt := range prompts {
		prompt.System = mark + "\n" + prompt.System
		body, err := json.Marshal(map[string]any{"model": "tiny", "messages": judging.FirstTurn(prompt, backends.System), "max_tokens": 1, "temperature": 0, "cache_prompt": true})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Timings struct {
				Read   int     `json:"prompt_n"`
				Cached int     `json:"cache_n"`
				Took   float64 `json:"prompt_ms"`
			} `json:"timings"`
		}
		err = json.NewDecoder(resp.Body).Decode(&answer)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || answer.Timings.Read == 0 {
			t.Fatalf("status %d, %+v, %v: a server without timings?", resp.StatusCode, answer, err)
		}
		w.Read, w.Cached, w.Milliseconds = w.Read+answer.Timings.Read, w.Cached+answer.Timings.Cached, w.Milliseconds+answer.Timings.Took
	}
	return w
}

// fewOptions are items of the published trees, where they lie, else the sample.
func fewOptions(t *testing.T, items, options int) []datasets.Item {
	t.Helper()
	set, err := datasets.OpenFile(filepath.Join(sourceDir, "../../../shared/data/oasst1/trees/oasst2_filtered.ready_for_export.jsonl"))
	if err != nil {
		if set, err = (datasets.Library{}).Open("sample-options"); err != nil {
			t.Fatal(err)
		}
	}
	defer set.Close()
	var out []datasets.Item
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		if item = datasets.TrimOptions(item, options, 1); len(out) < items {
			out = append(out, item)
		}
	}
	return out
}

// TestServersReadLessOfOptionsAskedTogether: asked one after the other, the
// orders of an item leave its instruction in the prompt cache of llama.cpp.
// Permutations leave options there too. How much that saves is logged: a server that keeps many prompts has the
// beginnings of those asked order by order too, and then neither reads much more than the other.
func TestServersReadLessOfOptionsAskedTogether(t *testing.T) {
	url := os.Getenv("GAVEL_LLAMA_URL")
	if url == "" {
		t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
	}
	for _, orders := range []string{"rotations", "all"} {
		items := fewOptions(t, 10, 4)
		together := readPrompts(t, url, orders, "Together.", items, true)
		apart := readPrompts(t, url, orders, "Apart now.", items, false)
		t.Logf("%s, %d items: item by item %d tokens read, %d from the cache, %.0f ms; order by order %d, %d, %.0f ms",
			orders, len(items), together.Read, together.Cached, together.Milliseconds, apart.Read, apart.Cached, apart.Milliseconds)
		if most := apart.Read + apart.Read/20; together.Read >= most {
			t.Errorf("%s: item by item %d tokens are read, order by order %d", orders, together.Read, apart.Read)
		}
	}
}

// The measurement above, against a server that keeps the last prompt and reads
// what comes after the beginning it shares with the next.
func TestReadPrompts(t *testing.T) {
	last := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []backends.Message `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) != 2 {
			http.Error(w, "no messages", http.StatusBadRequest)
			return
		}
		now := req.Messages[0].Content + "\x00" + req.Messages[1].Content
		n := 0
		for n < min(len(last), len(now)) && last[n] == now[n] {
			n++
		}
		last = now
		fmt.Fprintf(w, `{"timings":{"prompt_n":%d,"cache_n":%d,"prompt_ms":1}}`, len(now)-n, n)
	}))
	defer server.Close()
	var items []datasets.Item
	for i := range 5 {
		item := datasets.Item{ID: fmt.Sprint("i", i), Shape: datasets.Options, Question: strings.Repeat(fmt.Sprint("question ", i, " "), 30)}
		for c := range 3 {
			item.Candidates = append(item.Candidates, datasets.Candidate{ID: fmt.Sprintf("%02d", c+1), Text: strings.Repeat(fmt.Sprint("option ", c, " "), 30)})
		}
		items = append(items, item)
	}
	question := len(items[0].Question)
	together, apart := readPrompts(t, server.URL, "rotations", "a", items, true), readPrompts(t, server.URL, "rotations", "b", items, false)
	if together.Read+together.Cached != apart.Read+apart.Cached {
		t.Errorf("not the same prompts: %+v, %+v", together, apart)
	}
	// 15 prompts; together the question is read 5 times, apart 15 times.
	if saved := apart.Read - together.Read; saved < 10*(question-20) || saved > 10*(question+60) {
		t.Errorf("%d saved, of questions of %d", saved, question)
	}
	sorted := readPrompts(t, server.URL, "all", "c", items, true)
	if perPrompt, all := together.Read/15, sorted.Read/30; all >= perPrompt {
		t.Errorf("of sorted permutations %d are read a prompt, of rotations %d", all, perPrompt)
	}
}
