package judging

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gavel/backends"
	"gavel/datasets"
)

// published is where the published files lie, if they do: none of them is part
// of this repository.
const published = "../../shared/data/judgebench"

const (
	claudePairs = published + "/data/dataset=judgebench,response_model=claude-3-5-sonnet-20240620.jsonl"
	o1Output    = published + "/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=arena_hard,judge_model=o1-mini-2024-09-12.jsonl"
	rewardModel = published + "/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=reward_model,judge_model=Skywork_Skywork-Reward-Llama-3.1-8B.jsonl"
)

func needs(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not on this machine", path)
	}
	return path
}

// pairKinds are the protocols that compare two responses.
var pairKinds = Comparisons

func init() {
	for _, p := range []Protocol{Pairwise, Reversed, Answer, SelfReference, MultiOption} {
		Register(p)
	}
}

// pair is an item of our own: A is right where gold is 0.
func pair(id string, gold int) datasets.Item {
	return datasets.Item{
		ID: id, Shape: datasets.Pair, Source: "sums", Group: "sums", Question: "What is 2 + 2?", Gold: gold,
		Candidates: []datasets.Candidate{{ID: "A", Text: "It is 4."}, {ID: "B", Text: "It is 5."}},
	}
}

// setOf opens a dataset file of pairs p1 … pn, labelled A>B and B>A in turn.
func setOf(t *testing.T, n int) *datasets.Set {
	t.Helper()
	var lines []byte
	for i := range n {
		label := "A>B"
		if i%2 == 1 {
			label = "B>A"
		}
		line, err := json.Marshal(map[string]any{
			"pair_id": fmt.Sprintf("p%d", i+1), "source": "sums", "question": fmt.Sprintf("What is %d + 1?", i),
			"response_model": "m", "response_A": fmt.Sprint(i + 1), "response_B": fmt.Sprint(i + 2), "label": label,
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	return openSet(t, string(lines))
}

func openSet(t *testing.T, lines string) *datasets.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pairs.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := datasets.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close() })
	return set
}

func protocolNamed(t testing.TB, kind, template string) Asker {
	t.Helper()
	k, err := ProtocolNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	tpl, err := k.Template(template)
	if err != nil {
		t.Fatal(err)
	}
	return k.New(tpl, nil)
}

// script is a judge that says what a function says.
type script func(ctx context.Context, req backends.Request) (backends.Response, error)

func (s script) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	return s(ctx, req)
}

func says(text string) (backends.Response, error) {
	return backends.Response{Text: text, Finish: backends.Stop}, nil
}

// rightLabel is what an always right judge says.
func rightLabel(req backends.Request) string { return req.Oracle.Choices[req.Oracle.Right] }

var noon = time.Date(2025, 1, 2, 12, 0, 0, 0, time.UTC)

// standing is what stands, by item.
func standing(games map[string][]bool) (s Standing) {
	for item, have := range games {
		for i, h := range have {
			if h {
				s.Add(&Record{Item: item, Showing: i, Showings: len(have)})
			}
		}
	}
	return s
}

// written collects what a job writes.
type written struct {
	sync.Mutex
	records []*Record
}

func (w *written) write(r *Record) error {
	w.Lock()
	defer w.Unlock()
	w.records = append(w.records, r)
	return nil
}

// newJob is a pairwise job over all of a set, one item at a time.
func newJob(t *testing.T, set *datasets.Set, client backends.Client) (*Job, *written) {
	t.Helper()
	p := protocolNamed(t, "pairwise", "sop")
	w := &written{}
	rows := make([]int, set.Len())
	for i := range rows {
		rows[i] = i
	}
	return &Job{
		Manifest: NewManifest("test", specOf(p, set)), Asker: p, Set: set, Rows: rows, Client: client,
		Concurrency: 1, Write: w.write, Now: func() time.Time { return noon },
	}, w
}

func specOf(p Asker, set *datasets.Set) Spec {
	pw := p.(pairwise)
	return Spec{
		Protocol: p.Name(), Goal: pw.goal, Prompt: pw.template,
		Dataset:    DatasetSpec{SHA256: set.SHA256, Items: set.Len(), IDs: "ids"},
		Model:      ModelSpec{Name: "judge", Identity: "test judge"},
		Parameters: DefaultParameters,
	}
}
