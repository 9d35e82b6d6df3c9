package pairwise

import (
	"fmt"
	"strings"

	"gavel/backends"
	"gavel/judging"
)

// Import is what came of reading other harnesses' games.
type Import struct {
	Manifest   *judging.Manifest
	Games      int
	Null       int      // games the file has no judgment for
	Reproduced int      // games whose stored decision our reading gives too
	Differ     []string // the others, one sentence each
	Stored     bool     // verdicts are the file's decisions: there is no text to read
}

// describe makes the manifest of a run whose games were all read.
func (im *Import) describe(gavel, from, judgeName, file string, p pairwise, dataset judging.DatasetSpec, model judging.ModelSpec, info judging.DatasetInfo) {
	m := judging.NewManifest(gavel, judging.Spec{Protocol: p.name, Goal: p.goal, Prompt: p.template, Dataset: dataset, Model: model})
	m.Status, m.JudgeName, m.Judgments, m.Imported = judging.Complete, judgeName, im.Games, file
	m.Simulated = strings.HasPrefix(model.Name, "sim:")
	m.Model = backends.Model{Name: model.Name}
	m.Server = backends.Server{Kind: "import", Name: from}
	m.Dataset = info
	im.Manifest = m
}

// write makes the run directory.
func (im *Import) write(out string, items [][]byte, records []*judging.Record) error {
	everything := func(*judging.Record) bool { return true }
	dir, _, err := judging.OpenDir(out, im.Manifest, everything, func(*judging.Record) error { return nil })
	if err != nil {
		return err
	}
	defer dir.Close()
	err = dir.Begin(im.Manifest, func(line func([]byte) error) error {
		for _, item := range items {
			if err := line(item); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range records {
		r.Belong(im.Manifest)
		if err := dir.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// lacks makes the record of a game that the file has no judgment for.
func (im *Import) lacks(rec *judging.Record) *judging.Record {
	im.Null++
	rec.Outcome = judging.Failed
	rec.Error = "no judgment in the imported file"
	rec.Imported = &judging.Imported{Missing: true}
	return rec
}

// compare holds what we read against what the file says was decided, in the positions shown.
func (im *Import) compare(rec *judging.Record, stored *string) {
	ours, theirs := "null", "null"
	if d := decision(rec); d != nil {
		ours = *d
	}
	if stored != nil {
		theirs = *stored
	}
	if ours == theirs {
		im.Reproduced++
		return
	}
	im.Differ = append(im.Differ, fmt.Sprintf("pair %s, game %d: the file says %s, read from the reply: %s", rec.Item, rec.Presentation+1, theirs, ours))
}

// decision is what JudgeBench would write: the plain label in the positions shown.
func decision(r *judging.Record) *string {
	var d string
	switch {
	case r.Outcome == judging.Tie:
		d = labelTie
	case r.Outcome != judging.Decided:
		return nil
	case r.Choice == r.Order[0]:
		d = labelA
	default:
		d = labelB
	}
	return &d
}
