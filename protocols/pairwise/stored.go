package pairwise

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// Stored verdicts of other harnesses: nothing is read from the replies, the verdict is what the file says.

// winner is which response a stored verdict names, in the order of the dataset.
type winner int

const (
	firstWins winner = iota
	secondWins
	tied
	nobody  // there is a reply, and no verdict
	missing // there is no judgment
)

// storedGame is a judgment of a file.
type storedGame struct {
	winner winner
	text   string // the reply
}

// storedImport is a run in the making, of pairs with the verdicts that files have of them.
type storedImport struct {
	*Import
	asker   pairwise
	items   [][]byte
	records []*judging.Record
	ids     []string
	sums    hash.Hash       // of the files
	bad     imports.Rejects // rows that are no pairs
}

// newStoredImport begins a run of a judge asked by a harness with a prompt, in the folder out.
func newStoredImport(out, origin, prompt string) *storedImport {
	template := judging.Template{Name: prompt, Origin: origin, Labels: []string{labelA, labelB, labelTie}}
	return &storedImport{
		Import: &Import{Run: imports.Run{Dir: out}, Stored: true},
		asker:  pairwise{name: Protocol.Name, goal: Protocol.Goal, template: template},
		sums:   sha256.New(),
	}
}

// rows reads a file of rows, and adds to what the run is made of.
func (in *storedImport) rows(path string, use func(row int, raw json.RawMessage) error) error {
	source, err := imports.Open(path)
	if err != nil {
		return err
	}
	defer source.Close()
	fmt.Fprintln(in.sums, source.Sum)
	return source.Each(func(row int, raw json.RawMessage) error {
		if err := use(row, raw); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		return nil
	})
}

// add takes in a pair with its judgments, in the order of its presentations; the second may be missing of all.
func (in *storedImport) add(item datasets.Item, games ...storedGame) {
	in.items = append(in.items, item.Raw)
	in.ids = append(in.ids, item.ID)
	for i, g := range games {
		rec := newRecord(in.asker, item, i)
		in.Games++
		in.records = append(in.records, rec)
		if g.winner == missing {
			in.lacks(rec)
			continue
		}
		rec.Imported = &judging.Imported{Stored: true}
		rec.Replies = []judging.Reply{{Text: g.text, Finish: backends.Stop}}
		switch g.winner {
		case tied:
			rec.Outcome = judging.Tie
		case nobody:
			rec.Outcome = judging.NoVerdict
		default:
			rec.Outcome = judging.Decided
			rec.Choice = item.Candidates[g.winner].ID
		}
		rec.Imported.Decision = decision(rec)
		in.Reproduced++
	}
}

// finish writes the run. about says where the file comes from, format is that of the items' lines.
func (in *storedImport) finish(gavel, about, file, judge, format, dataset string) (*Import, error) {
	in.Manifest = imports.Describe(gavel, about, file, in.asker.spec(
		specOf(in.items, func(i int) string { return in.ids[i] }),
		judging.ModelSpec{Name: judge, Identity: fmt.Sprintf("imported %s sha256=%x", judge, in.sums.Sum(nil)[:8])}),
		in.Games, judging.DatasetInfo{
			Name:    dataset,
			Format:  format,
			Rows:    len(in.items),
			Skipped: in.bad.N,
			Bad:     in.bad.First,
		})
	return in.Import, in.write(strings.TrimPrefix(in.asker.template.Name, llmBarPrefix), in.items, in.records)
}

// pairLine is a pair as JudgeBench writes it, with who wrote each response.
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

// item is the pair. People's verdict on it is its label, unless they call it a tie or do not agree.
func (l pairLine) item(better winner) (datasets.Item, error) {
	l.Label = "none"
	switch better {
	case firstWins:
		l.Label = labelA
	case secondWins:
		l.Label = labelB
	}
	return itemOf(datasets.JudgeBench, l)
}

// itemOf reads a line of a format, and keeps it.
func itemOf(format datasets.Format, line any) (datasets.Item, error) {
	raw, err := json.Marshal(line)
	if err != nil {
		return datasets.Item{}, err
	}
	item, err := format.Parse(raw)
	item.Raw = raw
	return item, err
}
