package pairwise

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// pairImport builds a run of pairs from games that another harness stored.
type pairImport struct {
	imports.Builder
	comparison pairwise
	mirrored   int             // games copied to the other order, since their scores do not depend on it
	reproduced int             // games whose stored decision gavel reads too; Differ lists the others
	stored     bool            // verdicts are the file's decisions, since there is no text to read
	winners    bool            // the file has winners in place of decisions
	labelsStay bool            // the labels stayed with the responses when the order was reversed
	sums       hash.Hash       // of the files
	bad        imports.Rejects // invalid rows
}

// newPairImport starts the run of a judge whose replies are read as p reads them.
func newPairImport(out string, p pairwise) *pairImport {
	return &pairImport{
		Builder: imports.Builder{
			ImportedRun: imports.ImportedRun{Dir: out}, Asker: p, MissingError: "no judgment in the imported file",
		},
		comparison: p,
		sums:       sha256.New(),
	}
}

// asHarness returns a comparison with the prompt of another harness, of which only the name is known.
func asHarness(p judging.Protocol, name, origin string, labels ...string) pairwise {
	if labels == nil {
		labels = []string{labelA, labelB, labelTie}
	}
	return pairwise{name: p.Name, goal: p.Goal, template: judging.Template{Name: name, Origin: origin, Labels: labels}}
}

// add adds a pair and its games, in the order of its presentations.
func (in *pairImport) add(item datasets.Item, games ...imports.StoredJudgment) error {
	in.Add(item)
	for i, g := range games {
		r, err := in.Judge(item, i, g)
		if err != nil {
			return fmt.Errorf("game %d: %w", i+1, err)
		}
		if in.winners || g.Single {
			r.Imported.Decision = decision(r)
		}
		switch {
		case g.Single:
			in.mirrored++
		case !r.Imported.Missing:
			in.compare(r)
		}
	}
	return nil
}

// compare compares gavel's reading with the file's decision, in the positions shown.
func (in *pairImport) compare(r *judging.Record) {
	gavelDecision, fileDecision := "null", "null"
	if d := decision(r); d != nil {
		gavelDecision = *d
	}
	if d := r.Imported.Decision; d != nil {
		fileDecision = *d
	}
	if gavelDecision == fileDecision {
		in.reproduced++
		return
	}
	in.Differences = append(in.Differences, fmt.Sprintf("pair %s, game %d: the file says %s, read from the reply: %s",
		r.Item, r.Presentation+1, fileDecision, gavelDecision))
}

// decision returns the label that JudgeBench would write: in plain form and in the positions shown.
func decision(r *judging.Record) *string {
	switch {
	case r.Outcome == judging.Tie:
		return new(labelTie)
	case r.Outcome != judging.Decided:
		return nil
	case r.Choice == r.Order[0]:
		return new(labelA)
	}
	return new(labelB)
}

// storedJudgment returns the judgment of a game whose file names the winner. The verdict is in the dataset's order.
func storedJudgment(v judging.Verdict, reply string) imports.StoredJudgment {
	return imports.StoredJudgment{Verdict: &v, Replies: []string{reply}}
}

// verdictFor returns the verdict that names a candidate.
func verdictFor(candidate int) judging.Verdict {
	return judging.Verdict{Outcome: judging.Decided, Choice: candidate}
}

// rows calls use for each row of a file and adds the file to the hash of the run's sources.
func (in *pairImport) rows(path string, use func(row int, raw json.RawMessage) error) error {
	sum, err := imports.EachRow(path, func(row int, raw []byte) error {
		if err := use(row, raw); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		return nil
	})
	fmt.Fprintln(in.sums, sum)
	return err
}

// makeRun makes a judge's run from files whose rows are in a dataset's format. source says where they come from.
func (in *pairImport) makeRun(
	gavel, source, file, judge string, format datasets.Format, dataset string,
) ([]*imports.ImportedRun, error) {
	model := judging.ModelSpec{Name: judge, Identity: fmt.Sprintf("imported %s sha256=%x", judge, in.sums.Sum(nil)[:8])}
	in.Describe(gavel, source, file, in.comparison.spec(judging.DatasetSpec{}, model), judging.DatasetInfo{
		Name: dataset, Format: format.Name, Skipped: in.bad.N, Bad: in.bad.First,
	})
	in.Manifest.Dataset.Rows = in.Manifest.Spec.Dataset.Items
	return in.finish(strings.TrimPrefix(in.comparison.template.Name, llmBarPrefix))
}

// finish writes the run directory and returns the run with a summary of its games.
func (in *pairImport) finish(judgeName string) ([]*imports.ImportedRun, error) {
	m := in.Manifest
	m.LabelsStay = in.labelsStay
	m.JudgeName = judgeName
	m.Simulated = strings.HasPrefix(m.Spec.Model.Name, "sim:")
	games := len(in.Records) - in.mirrored
	in.AddLine("%s (judge_name %s): %d pairs, %d games, %d of them null",
		m.Spec.Model.Name, judgeName, m.Spec.Dataset.Items, games, in.Missing)
	if in.mirrored > 0 {
		in.AddLine("each response has a score of its own: it counts for both orders")
	}
	in.Summary = append(in.Summary, imports.SkippedLines(m.Dataset.Skipped, "lines", m.Dataset.Bad)...)
	origin := "read from the replies"
	if in.stored {
		origin = "taken from scores or decisions: there are no replies that gavel reads"
	}
	in.AddLine("verdicts %s; %d of %d stored decisions reproduced", origin, in.reproduced, games-in.Missing)
	in.Summary = append(in.Summary, imports.FirstLines(in.Differences)...)
	in.AddLine("run written to %s", in.Dir)
	if err := in.Write(in.Dir); err != nil {
		return nil, err
	}
	return []*imports.ImportedRun{&in.ImportedRun}, nil
}

// pairLine is a pair in JudgeBench's format.
type pairLine struct {
	ID        string `json:"pair_id"`
	Source    string `json:"source"`
	Question  string `json:"question"`
	ModelA    string `json:"model_A"`
	ModelB    string `json:"model_B"`
	ResponseA string `json:"response_A"`
	ResponseB string `json:"response_B"`
	Label     string `json:"label"`
}

// itemOf parses a value as a line of a format. The item keeps the line.
func itemOf(format datasets.Format, line any) (datasets.Item, error) {
	raw, err := json.Marshal(line)
	if err != nil {
		return datasets.Item{}, err
	}
	return format.Item(raw)
}
