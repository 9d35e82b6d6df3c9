package scoring_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// judgedAnswer is a judgment as tests write it: who answered which question, whether
// the judge's own answer and the agent's are right, and what each mode said:
// "C", "I", "" for no verdict, or an outcome's name.
type judgedAnswer struct {
	question, agent, group string
	own, right             bool
	cot, self              string
	noOwn                  bool // the judge has no answer of its own
}

func (s judgedAnswer) item() string { return s.question + "@" + s.agent }

// verdictOf is the outcome, reply and choice of what was said.
func verdictOf(word string) (outcome judging.Outcome, text, choice string) {
	switch word {
	case "C":
		return judging.Decided, "So it is [[Correct]]", "Correct"
	case "I":
		return judging.Decided, "So it is [[Incorrect]]", "Incorrect"
	case "":
		return judging.NoVerdict, "I cannot say", ""
	}
	return judging.Outcome(word), "", ""
}

// records are those of a judgment in the modes given.
func (s judgedAnswer) records(modes ...string) []*judging.Record {
	var out []*judging.Record
	for i, mode := range modes {
		word := s.cot
		if mode == selfreference.ModeSelf {
			word = s.self
		}
		outcome, text, choice := verdictOf(word)
		finish := backends.FinishStop
		if outcome == judging.Refused {
			finish = backends.FinishRefused
		}
		r := &judging.Record{
			Schema: 1, Run: "r", Protocol: "self-reference", Model: "judge", Item: s.item(), Group: s.group, Presentation: i, Presentations: len(modes),
			Order: []string{"Correct", "Incorrect"}, Gold: gold(s.right), Shape: datasets.ShapeJudgment, Mode: mode, QuestionID: s.question, Agent: s.agent,
			Own: &datasets.Answer{Value: "42", Right: s.own}, Replies: []judging.Reply{{Text: text, Finish: finish}}, Outcome: outcome, Choice: choice,
		}
		if s.noOwn {
			r.Own = nil
		}
		out = append(out, r)
	}
	return out
}

func gold(right bool) string {
	if right {
		return "Correct"
	}
	return "Incorrect"
}

var bothModes = []string{selfreference.ModeCoT, selfreference.ModeSelf}

// manifestOf is of a run of a protocol that is not of pairs.
func manifestOf(name string, items int) *judging.Manifest {
	protocol, err := judging.ProtocolNamed(name)
	if err != nil {
		panic(err)
	}
	m := judging.NewManifest("test", judging.Spec{
		Protocol: protocol.Name, Prompt: protocol.Templates[0], Model: judging.ModelSpec{Name: "judge"},
		Dataset: judging.DatasetSpec{Items: items}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	m.Dataset.Name = "questions"
	return m
}

// gather is the run that records come to.
func gather(t testing.TB, m *judging.Manifest, records []*judging.Record) *scoring.Run {
	t.Helper()
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := load.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return load.Run()
}

// judgedRun is the run of judgments in both modes.
func judgedRun(t testing.TB, all ...judgedAnswer) *scoring.Run {
	t.Helper()
	var records []*judging.Record
	for _, s := range all {
		records = append(records, s.records(bothModes...)...)
	}
	return gather(t, manifestOf("self-reference", len(all)), records)
}

// in finds a result of a mode.
func in(t testing.TB, rep scoring.Report, metric, group, mode string) scoring.Result {
	t.Helper()
	for _, r := range rep.Results {
		if r.Metric == metric && r.Group == group && r.Mode == mode {
			return r
		}
	}
	t.Fatalf("no %s of %s, mode %q, among %d results", metric, group, mode, len(rep.Results))
	return scoring.Result{}
}

// writeRun writes a run directory.
func writeRun(t testing.TB, m *judging.Manifest, records func(yield func(*judging.Record) bool)) string {
	t.Helper()
	dir := t.TempDir()
	if err := judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, judging.RecordsFile))
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(f)
	for r := range records {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
