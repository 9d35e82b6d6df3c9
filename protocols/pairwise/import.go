package pairwise

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// Import is what came of reading other harnesses' games.
type Import struct {
	imports.Run
	Games      int
	Null       int  // games the file has no judgment for
	Turned     int  // games that stand for the other order of a judge whose scores do not depend on it
	Reproduced int  // games whose stored decision our reading gives too; Differ has the others
	Stored     bool // verdicts are the file's decisions: there is no text to read
	LabelsStay bool // the labels stayed with the responses when the order was reversed
}

// write makes the run directory of games that were all read, and says what they come to.
func (im *Import) write(judgeName string, items [][]byte, records []*judging.Record) error {
	m := im.Manifest
	m.LabelsStay = im.LabelsStay
	m.JudgeName, m.Simulated = judgeName, strings.HasPrefix(m.Spec.Model.Name, "sim:")
	if err := im.Write(items, records); err != nil {
		return err
	}
	im.Say("%s (judge_name %s): %d pairs, %d games, %d of them null",
		m.Spec.Model.Name, judgeName, m.Spec.Dataset.Items, im.Games-im.Turned, im.Null)
	if im.Turned > 0 {
		im.Say("each response has a score of its own: it counts for both orders")
	}
	im.Said = append(im.Said, imports.Skipped(m.Dataset.Skipped, "lines", m.Dataset.Bad)...)
	how := "read from the replies"
	if im.Stored {
		how = "taken from scores or decisions: there are no replies that gavel reads"
	}
	im.Say("verdicts %s; %d of %d stored decisions reproduced", how, im.Reproduced, im.Games-im.Turned-im.Null)
	im.Said = append(im.Said, imports.Few(im.Differ)...)
	im.Say("run written to %s", im.Dir)
	return nil
}

// newRecord makes a record of a presentation of an item; the rest follows, once all files are read.
func newRecord(asker judging.Asker, item datasets.Item, presentation int) *judging.Record {
	presentations := asker.Presentations(item)
	of := &judging.Manifest{Spec: judging.Spec{Protocol: asker.Name()}}
	r := judging.NewRecord(of, item, presentations[presentation])
	r.Presentations = len(presentations)
	return r
}

// specOf identifies items by their lines and ids.
func specOf(lines [][]byte, id func(i int) string) judging.DatasetSpec {
	sum := sha256.New()
	for _, line := range lines {
		fmt.Fprintf(sum, "%s\n", line)
	}
	return judging.DatasetSpec{
		SHA256: hex.EncodeToString(sum.Sum(nil)),
		Items:  len(lines),
		IDs:    judging.HashIDs(len(lines), id),
	}
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
	im.Differ = append(im.Differ, fmt.Sprintf("pair %s, game %d: the file says %s, read from the reply: %s",
		rec.Item, rec.Presentation+1, theirs, ours))
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
