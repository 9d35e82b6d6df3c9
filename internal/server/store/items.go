package store

import (
	"cmp"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/server/failure"
	"gavel/judging"
)

// JudgedRecord holds a record with the verdict that was read again from its replies.
type JudgedRecord struct {
	*judging.Record
	Verdict    judging.Verdict
	Confidence *float64 // of the judge in its verdict, from 0 to 1; nil without label probabilities
}

// Item reads the item with this number from items.jsonl. If it cannot be read, the item is empty.
func (x *Index) Item(i int) (datasets.Item, error) {
	location := x.items[i].line
	if location.length == 0 {
		return datasets.Item{}, failure.NotFound("the run's folder does not have the texts of this item")
	}
	line, err := x.line(judging.ItemsFile, location)
	if err != nil {
		return datasets.Item{}, err
	}
	item, err := x.Manifest.DecodeItem(line)
	if err != nil || item.ID != x.ItemID(i) {
		return datasets.Item{}, ErrChanged
	}
	return item, nil
}

// Record reads the record of an indexed judgment from records.jsonl, and the verdict from its replies, as scoring does.
func (x *Index) Record(g IndexedJudgment) (j JudgedRecord, err error) {
	line, err := x.line(judging.RecordsFile, g.line)
	if err != nil {
		return j, err
	}
	r, err := judging.DecodeRecord(line)
	if err != nil || r.Item != x.ItemID(g.item) {
		return j, ErrChanged
	}
	j.Record = r
	j.Verdict, err = r.Read(x.Asker, ResultsReadingOptions(x.Manifest))
	if err != nil {
		return j, failure.Unreadable("%w", err)
	}
	if c, ok := r.Confidence(x.Asker, j.Verdict); ok {
		j.Confidence = &c
	}
	return j, nil
}

// ErrChanged reports that a run's file no longer has the line that was indexed.
var ErrChanged = failure.Conflict("the run changed while it was being read: load the page again")

// line reads the line at an indexed position of one of the run's files.
func (x *Index) line(file string, p linePosition) ([]byte, error) {
	f, _, err := x.store.OpenRunFile(x.Run, file)
	if err != nil {
		return nil, ErrChanged
	}
	defer f.Close()
	line := make([]byte, p.length)
	if _, err := f.ReadAt(line, p.offset); err != nil {
		return nil, ErrChanged
	}
	return line, nil
}

// Len returns the number of the run's items.
func (x *Index) Len() int { return len(x.items) }

// ItemID returns the id of the item with this number.
func (x *Index) ItemID(item int) string { return x.items[item].id }

// FindItem returns the number of the item with this id.
func (x *Index) FindItem(id string) (item int, ok bool) {
	item, ok = x.itemNumbers[id]
	return item, ok
}

// Group returns the group, such as the subject, of the item with this number.
func (x *Index) Group(item int) string { return x.items[item].group }

// Judgments returns the judgments of the item with this number, sorted by presentation and repetition.
func (x *Index) Judgments(item int) (all []IndexedJudgment) {
	for _, k := range x.items[item].judgments {
		all = append(all, x.judgments[k])
	}
	slices.SortFunc(all, func(a, b IndexedJudgment) int {
		return cmp.Or(cmp.Compare(a.Presentation, b.Presentation), cmp.Compare(a.Repetition, b.Repetition))
	})
	if p, _ := judging.ProtocolNamed(x.Manifest.Spec.Protocol); p.ScoresCandidates {
		rateScores(all)
	}
	return all
}

// rateScores decides which scores of an item's candidates are right: the labelled candidate's if it is the highest, and
// another's if it is not above that. So of two equal scores one is right.
func rateScores(all []IndexedJudgment) {
	for i, g := range all {
		all[i].Right.Correct = g.namesCandidate()
		for _, other := range all {
			if other.Repetition != g.Repetition || other.firstIsGold == g.firstIsGold {
				continue
			}
			all[i].Right.Known = true
			if (g.score > other.score) != g.firstIsGold {
				all[i].Right.Correct = false
			}
		}
	}
}

// Outcomes returns the outcomes that occur among the judgments of the item with this number.
func (x *Index) Outcomes(item int) map[judging.Outcome]bool {
	all := map[judging.Outcome]bool{}
	for _, k := range x.items[item].judgments {
		all[x.judgments[k].Outcome] = true
	}
	return all
}

// DiffersFromFirstVerdict reports whether an item's verdict in a mode differs from that of the item's first judgment.
// It returns false if the first judgment has no verdict.
func (x *Index) DiffersFromFirstVerdict(item int, mode string) bool {
	all := x.Judgments(item)
	return slices.ContainsFunc(all, func(g IndexedJudgment) bool {
		return g.Mode == mode && g.Repetition == 0 && all[0].Outcome.IsVerdict() && !g.Outcome.IsUnserved() &&
			(g.Outcome != all[0].Outcome || g.Choice != all[0].Choice)
	})
}

// Pointer returns nil if it is unknown whether the verdict is correct, else a pointer to whether it is.
func (r Rightness) Pointer() *bool {
	if !r.Known {
		return nil
	}
	return &r.Correct
}

// OrderKey joins a mode and the ids of candidates in the order shown into a key for comparing judgments.
func OrderKey(mode string, order []string) string { return mode + "\x00" + strings.Join(order, "\x00") }
