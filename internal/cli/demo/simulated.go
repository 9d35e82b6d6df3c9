package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/protocols/multioption"
	"gavel/protocols/pairwise"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// simulation is a simulated judge, by how often it knows what is right and how often it names the first response.
type simulation struct{ right, first int }

// model is the judge as a simulation is asked for. Of so many options the first is right in its share of them anyway;
// what is more than that the simulation names without looking.
func (s simulation) model(options, seed int) string {
	even := 1 / float64(options)
	blind := (float64(s.first)/100 - even) / (1 - even)
	return fmt.Sprintf("accuracy=%g,first=%.4g,seed=%d", float64(s.right)/100, blind, seed)
}

// kind is a demo of simulated judges.
type kind struct {
	protocol judging.Protocol
	judges   []simulation
	called   string // names of the judges, by how often they are right and how often they name the first
	problem  func(i int) any
	options  int // of a problem
	asks     string
	finds    func(d *Demo)
}

// kinds are by the names of their protocols.
var kinds = map[string]kind{
	pairwise.Reversed.Name: {
		protocol: pairwise.Reversed,
		judges:   []simulation{{95, 50}, {90, 60}, {80, 60}, {90, 90}, {50, 50}},
		called:   "simulated: right on %d %%, names the first on %d %%",
		problem:  pair,
		options:  2,
		asks:     "%d simulated judges, %d sums with a right and a wrong result, in both orders: which result is worse?",
		finds:    worseFound,
	},
	selfreference.Protocol.Name: {
		protocol: selfreference.Protocol,
		judges:   []simulation{{95, 50}, {85, 50}, {75, 50}, {60, 50}},
		called:   "simulated: knows %[1]d %%",
		problem:  question,
		options:  2,
		asks: "%d simulated judges solve %d sums and judge the results of another, who has 60 %% right: alone, " +
			"then with their own result in sight.",
		finds: ownFound,
	},
	multioption.Protocol.Name: {
		protocol: multioption.Protocol,
		judges:   []simulation{{95, 25}, {90, 40}, {80, 40}, {90, 85}, {50, 25}},
		called:   "simulated: right on %d %%, names the first on %d %%",
		problem:  options,
		options:  4,
		asks:     "%d simulated judges, %d sums with four results each, in every rotation: which is best?",
		finds:    choiceFound,
	},
}

// problems is how many sums the simulated judges judge.
const problems = 400

// agent is whose answers are judged under self-reference.
const agent = "sim:accuracy=0.6,seed=2"

// simulated has simulated judges judge sums.
func simulated(ctx context.Context, m *eval.Maker, k kind, out string) (*Demo, error) {
	if out == "" {
		tmp, remove, err := disk.TempDir("", "gavel-demo-")
		if err != nil {
			return nil, err
		}
		defer remove()
		out = tmp
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	data := filepath.Join(out, fmt.Sprintf("sums-%s.jsonl", k.protocol.Name))
	if err := writeLines(data, k.problem); err != nil {
		return nil, err
	}
	d := &Demo{asks: fmt.Sprintf(k.asks, len(k.judges), problems), judges: k.judges}
	for i, s := range k.judges {
		r := eval.New(k.protocol)
		r.Endpoint = eval.Simulation
		r.Model = s.model(k.options, i+1)
		r.Dataset = data
		r.Concurrency = 4
		if k.protocol.Name == selfreference.Protocol.Name {
			r.Agents = []string{agent}
			r.Sample = new(problems)
		}
		r.Out = filepath.Join(out, fmt.Sprintf("sim-%d-%s", i+1, k.protocol.Name))
		if _, err := m.Run(ctx, r); err != nil {
			return nil, err
		}
		run, err := scoring.Load(r.Out, scoring.DefaultOptions.Reading)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf(k.called, s.right, s.first)
		about := filepath.Join(r.Out, judging.AboutFile)
		if _, err := os.Stat(about); errors.Is(err, fs.ErrNotExist) {
			err = judging.WriteJSON(about, judging.About{Name: name})
			if err != nil {
				return nil, err
			}
		}
		if err := d.add(name, run, ""); err != nil {
			return nil, err
		}
	}
	if err := d.rank(); err != nil {
		return nil, err
	}
	k.finds(d)
	return d, nil
}

// writeLines writes the problems, a line each.
func writeLines(path string, shape func(i int) any) error {
	return disk.Write(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := range problems {
			if err := lines.Encode(shape(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// sum is a problem: two numbers, what they come to, and results that are wrong.
func sum(i int) (question string, right int, wrong []int) {
	a := 100 + 37*i%900
	b := 100 + 53*i%900
	right = a + b
	return fmt.Sprintf("What is %d + %d?", a, b), right, []int{right + 10, right - 1, right + 100}
}

func pair(i int) any {
	question, right, wrong := sum(i)
	texts := []string{fmt.Sprint(right), fmt.Sprint(wrong[0])}
	label := "A>B"
	if i%2 == 1 {
		texts[0], texts[1] = texts[1], texts[0]
		label = "B>A"
	}
	return map[string]any{
		"pair_id": fmt.Sprintf("sum-%03d", i), "source": "sums", "question": question,
		"response_A": texts[0], "response_B": texts[1], "label": label,
	}
}

func question(i int) any {
	question, right, _ := sum(i)
	return map[string]any{
		"id": fmt.Sprintf("sum-%03d", i), "category": "sums", "question": question, "answer": fmt.Sprintf("#### %d", right),
	}
}

func options(i int) any {
	type output struct {
		Text string `json:"text"`
		Rank int    `json:"rank"`
	}
	question, right, wrong := sum(i)
	outputs := []output{{Text: fmt.Sprint(right)}}
	for k, w := range wrong {
		outputs = append(outputs, output{Text: fmt.Sprint(w), Rank: k + 1})
	}
	best := i % len(outputs)
	outputs[0], outputs[best] = outputs[best], outputs[0]
	return map[string]any{
		"id": fmt.Sprintf("sum-%03d", i), "source": "sums", "prompt": question, "outputs": outputs,
	}
}
