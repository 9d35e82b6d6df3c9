package pairwise

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// pairImport builds a run of pairs from games that another harness stored. A game is the judgment in one order.
type pairImport struct {
	imports.Builder
	protocol              pairwise        // the protocol by which replies are read
	mirrored              int             // games copied from the other order, since the judge scored each response alone
	reproduced            int             // games whose stored decision gavel reads too; Differences lists the others
	usesFileVerdicts      bool            // verdicts are the file's decisions, since gavel cannot read the replies
	namesWinners          bool            // the file names winners instead of decisions such as A>B
	labelsFollowResponses bool            // each response kept its label (A or B) when the order was reversed
	sums                  hash.Hash       // hash of the hashes of the files
	bad                   imports.Rejects // invalid rows
}

// newPairImport starts the import of one judge's run to the folder out. p reads the judge's replies.
func newPairImport(out string, p pairwise) *pairImport {
	return &pairImport{
		Builder: imports.Builder{
			ImportedRun: imports.ImportedRun{Dir: out}, Asker: p, MissingError: "no judgment in the imported file",
		},
		protocol: p,
		sums:     sha256.New(),
	}
}

// harnessAsker returns a comparison with another harness's prompt, of which only the name is known. labels are those
// that the prompt offers; A>B, B>A and A=B by default.
func harnessAsker(p judging.Protocol, name, origin string, labels ...string) pairwise {
	if labels == nil {
		labels = []string{labelA, labelB, labelTie}
	}
	return pairwise{name: p.Name, goal: p.Goal, template: judging.Template{Name: name, Origin: origin, Labels: labels}}
}

// add adds a pair and its stored games to the run: the published order's, then the swapped order's.
func (in *pairImport) add(item datasets.Item, games ...imports.StoredJudgment) error {
	in.AddItem(item)
	for i, g := range games {
		r, err := in.AddJudgment(item, i, g)
		if err != nil {
			return fmt.Errorf("game %d: %w", i+1, err)
		}
		if in.namesWinners || g.SingleOrder {
			r.Imported.Decision = judgeBenchLabel(r)
		}
		switch {
		case g.SingleOrder:
			in.mirrored++
		case !r.Imported.JudgmentMissing:
			in.compare(r)
		}
	}
	return nil
}

// compare counts whether the decision that gavel reads for r is the file's, and notes a difference. Decisions are in
// the positions shown: A>B names the response shown first.
func (in *pairImport) compare(r *judging.Record) {
	gavelDecision := *cmp.Or(judgeBenchLabel(r), new("null"))
	fileDecision := *cmp.Or(r.Imported.Decision, new("null"))
	if gavelDecision == fileDecision {
		in.reproduced++
		return
	}
	in.ReadingDifferences = append(in.ReadingDifferences, fmt.Sprintf(
		"pair %s, game %d: the file says %s, read from the reply: %s",
		r.Item, r.Presentation+1, fileDecision, gavelDecision,
	))
}

// judgeBenchLabel returns the label that JudgeBench would write for the record's verdict: A>B for the response shown
// first, B>A or A=B; nil without a verdict.
func judgeBenchLabel(r *judging.Record) *string {
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

// candidateVerdict returns the verdict that names a candidate: 0 for the first response in the dataset, 1 for the
// second.
func candidateVerdict(candidate int) judging.Verdict {
	return judging.Verdict{Outcome: judging.Decided, Choice: candidate}
}

// eachRow calls use for each row of a file and adds the file to the hash of the run's sources.
func (in *pairImport) eachRow(path string, use func(row int, raw json.RawMessage) error) error {
	sum, err := imports.EachRow(path, func(row int, raw []byte) error {
		if err := use(row, raw); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		return nil
	})
	fmt.Fprintln(in.sums, sum)
	return err
}

// makeRun finishes the run of judge from the rows added so far; its items are lines of format. source says where such
// files come from, file is one of them, and dataset is the name of the pairs' dataset.
func (in *pairImport) makeRun(
	gavel, source, file, judge string, format datasets.Format, dataset string,
) ([]*imports.ImportedRun, error) {
	model := judging.ModelSpec{Name: judge, Identity: fmt.Sprintf("imported %s sha256=%x", judge, in.sums.Sum(nil)[:8])}
	in.SetManifest(gavel, source, file, in.protocol.runSpec(judging.DatasetSpec{}, model), judging.DatasetInfo{
		Name: dataset, Format: format.Name, Skipped: in.bad.N, BadLines: in.bad.First,
	})
	in.Manifest.Dataset.Rows = in.Manifest.Spec.Dataset.Items
	return in.finish(strings.TrimPrefix(in.protocol.template.Name, llmBarPromptPrefix))
}

// finish writes the run directory and returns the run with a summary of its games.
func (in *pairImport) finish(judgeName string) ([]*imports.ImportedRun, error) {
	m := in.Manifest
	m.LabelsFollowResponses = in.labelsFollowResponses
	m.JudgeName = judgeName
	m.Simulated = strings.HasPrefix(m.Spec.Model.Name, "sim:")
	games := len(in.Records) - in.mirrored
	in.AddLine("%s (judge_name %s): %d pairs, %d games, %d of them null",
		m.Spec.Model.Name, judgeName, m.Spec.Dataset.Items, games, in.Missing)
	if in.mirrored > 0 {
		in.AddLine("each response has a score of its own: it counts for both orders")
	}
	in.Summary = append(in.Summary, imports.SkippedRowsSummary(m.Dataset.Skipped, "lines", m.Dataset.BadLines)...)
	origin := "read from the replies"
	if in.usesFileVerdicts {
		origin = "taken from scores or decisions: there are no replies that gavel reads"
	}
	in.AddLine("verdicts %s; %d of %d stored decisions reproduced", origin, in.reproduced, games-in.Missing)
	in.Summary = append(in.Summary, imports.TruncateList(in.ReadingDifferences)...)
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

// itemOf encodes line as a line of a dataset's format and returns the line's item.
func itemOf(format datasets.Format, line any) (datasets.Item, error) {
	raw, err := json.Marshal(line)
	if err != nil {
		return datasets.Item{}, err
	}
	return format.Item(raw)
}
