package references

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write llmbar.json anew from the gathered verdicts")

// gathered are the verdicts as they were gathered from the sources' stored replies.
const gathered = "../../../shared/data/references"

// names are those that gavel uses, by those of the sources.
var names = map[string]string{
	"ChatGPT-0301":     "ChatGPT-0301",
	"ChatGPT":          "ChatGPT (2023)",
	"Falcon-180B-chat": "Falcon-180B",
	"GPT-4":            "GPT-4",
	"Llama-2-70B-chat": "Llama-2-70B",
	"PaLM2":            "PaLM 2",
	"glm-4-9b":         "GLM-4-9B",
	"llama-3-8b":       "Llama-3-8B",
	"llama-3.1-405b":   "Llama-3.1-405B",
	"llama-3.1-70b":    "Llama-3.1-70B",
	"llama-3.1-8b":     "Llama-3.1-8B",
	"mistral-7b-v0.3":  "Mistral-7B-v0.3",
	"qwen-2.5-72b":     "Qwen2.5-72B",
}

// groups are LLMBar's subsets in the order of datasets/registry.yaml.
var groups = []Group{
	{Name: "Natural", Items: 100},
	{Name: "Adversarial/Neighbor", Items: 134},
	{Name: "Adversarial/GPTInst", Items: 92},
	{Name: "Adversarial/GPTOut", Items: 47},
	{Name: "Adversarial/Manual", Items: 46},
}

// decode reads the lines of a file.
func decode[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(gathered, name))
	if err != nil {
		t.Skipf("the gathered verdicts are not here: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// made is llmbar.json by the gathered verdicts, whose items are in another order.
func made(t *testing.T) []byte {
	items := decode[struct{ Item, Gold string }](t, "llmbar-items.jsonl")
	s := Set{Dataset: "llmbar", Prompt: "Vanilla", Groups: groups}
	at := map[string]int{} // place of an item among all that were gathered, and among those of Natural
	natural := 0
	for i, it := range items {
		at[it.Item] = i
		if strings.HasPrefix(it.Item, "Natural#") {
			at["only "+it.Item] = natural
			natural++
		}
	}
	var order []string
	s.Each(func(_ int, id, _ string) {
		order = append(order, id)
		s.Gold += items[at[id]].Gold
	})
	if len(at) != len(items)+natural || len(order) != len(items) {
		t.Fatalf("%d items in order of %d", len(order), len(items))
	}
	for _, g := range decode[struct {
		Judge, Source, Orders, Items, First, Second string
		OpenWeights                                 bool `json:"open_weights"`
	}](t, "llmbar-verdicts.jsonl") {
		j := Judge{
			Name:        names[g.Judge],
			Called:      g.Judge,
			OpenWeights: g.OpenWeights,
			Source:      strings.Fields(g.Source)[0],
			LabelsStay:  strings.HasPrefix(g.Orders, "labels stay"),
		}
		for _, id := range order {
			i := at[id]
			if g.Items == "Natural" {
				only, ok := at["only "+id]
				if !ok {
					continue
				}
				i = only
			}
			j.First += g.First[i : i+1]
			j.Second += g.Second[i : i+1]
		}
		if len(j.First) != len(g.First) {
			t.Fatalf("%s: %d of %d verdicts", g.Judge, len(j.First), len(g.First))
		}
		s.Judges = append(s.Judges, j)
	}
	return lines(t, s)
}

// lines writes a judge a line.
func lines(t *testing.T, s Set) []byte {
	t.Helper()
	judges := s.Judges
	s.Judges = []Judge{}
	head, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(head, []byte("]}")))
	for i, j := range judges {
		line, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n%s", strings.Repeat(",", min(i, 1)), line)
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}

// TestLLMBarIsWhatWasGathered: go test ./datasets/references -update makes the file.
func TestLLMBarIsWhatWasGathered(t *testing.T) {
	want := made(t)
	if *update {
		if err := os.WriteFile("llmbar.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("llmbar.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("llmbar.json is not what was gathered")
	}
}

// TestLLMBarIsWhole: every judge has a verdict in both orders on the items that it judged, and a name of its own.
func TestLLMBarIsWhole(t *testing.T) {
	s := LLMBar()
	items := 0
	s.Each(func(i int, id, group string) {
		if i != items || !strings.HasPrefix(id, group+"#") {
			t.Errorf("item %d is %s of %s", i, id, group)
		}
		items++
	})
	if items != 419 || len(s.Gold) != items || strings.Trim(s.Gold, "12") != "" || len(s.Judges) != 13 {
		t.Fatalf("%d items, %d labels, %d judges", items, len(s.Gold), len(s.Judges))
	}
	seen := map[string]bool{}
	for _, j := range s.Judges {
		if len(j.First) != len(j.Second) || !s.Whole(j) && len(j.First) != s.Groups[0].Items {
			t.Errorf("%s: %d and %d verdicts", j.Name, len(j.First), len(j.Second))
		}
		if strings.Trim(j.First+j.Second, "12"+string([]rune{Tie, NoVerdict})) != "" {
			t.Errorf("%s has other verdicts than 1, 2, t and -", j.Name)
		}
		if j.Name == "" || seen[j.Name] || j.LabelsStay != strings.Contains(j.Source, "ReIFE") {
			t.Errorf("%+v", j)
		}
		seen[j.Name] = true
	}
}
