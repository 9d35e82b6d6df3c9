// Package labels handles people's labels of a dataset's items and what they show about judges: how far judges and
// people agree, whether a judge may replace a person, the true share behind a judge's verdicts, and from which
// confidence a judge is correct. Labels are JSON lines.
package labels

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"gavel/datasets/rows"
	"gavel/judging"
)

// Tie is the label of an item of which no response is better, and the verdict of a judge whose choice depends on the
// order.
const Tie = "tie"

// pairLabels lists the labels of pairs, indexed by the winner of a [judging.Vote].
var pairLabels = [...]string{"A", "B", Tie}

// Label holds a person's label of an item: one line of labels.jsonl.
type Label struct {
	// the item's id in the dataset
	Item string `json:"item"`
	// the name of the person
	Labeller string `json:"labeller"`
	// the id of the best response, such as A; `tie`; for items without responses the answer; empty if skipped
	Label string `json:"label"`
	// SHA-256 of the item's line in the dataset, so that later changes are detected
	SHA256 string `json:"sha256,omitempty"`
	// the item was shown to this person for the second time, with its responses exchanged, for intra-rater agreement
	Repeat     bool   `json:"again,omitempty"`
	Undo       bool   `json:"undo,omitempty"`  // this line takes back this person's label of the item
	Note       string `json:"note,omitempty"`  // remark in the labeller's words
	DrawMethod string `json:"drawn,omitempty"` // how items were chosen: `random` or `disagreement`; empty if unknown
	Seed       int64  `json:"seed,omitempty"`  // seed of the draw of items, their order, and the order of responses
}

// Ways of choosing the items to label, values of Label.DrawMethod.
const (
	DrawnAtRandom       = "random"       // all items equally likely
	DrawnByDisagreement = "disagreement" // items on which judges disagree more often; no longer offered
)

// LabelFile holds the valid labels of a file.
type LabelFile struct {
	Path         string  // path of the file, or a name for labels from elsewhere
	Labels       []Label // last label of each person on each item, sorted by item, then by person
	RepeatLabels []Label // labels given when an item was shown again; same order

	SplitAsTie bool // pairs on which people are evenly split count as ties instead of being left out
}

// labelFileRow holds a line of any program's file of labels: the JSON values by column.
type labelFileRow map[string]json.RawMessage

// columnNames lists for each of gavel's columns the names that files may give it, gavel's own first.
var columnNames = map[string][]string{
	"item":     {"item", "item_id", "id", "pair_id"},
	"labeller": {"labeller", "labeler", "annotator", "rater", "person", "user"},
	"label":    {"label", "winner", "vote", "answer", "choice"},
}

// text returns the value of one of gavel's columns as text. It trims white space unless gavel wrote the line.
func (r labelFileRow) text(column string) (string, bool) {
	for _, name := range columnNames[column] {
		raw, ok := r[name]
		if !ok || string(raw) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw) // a number
		}
		if r["sha256"] == nil && r["undo"] == nil {
			s = strings.TrimSpace(s)
		}
		return s, true
	}
	return "", false
}

// Read reads a file of labels: labels.jsonl, or rows of another program with an item, a label and, if there are several
// people, the labeller, as JSON lines, JSON, CSV or Parquet. An invalid line is an error that names the line.
func Read(path string) (*LabelFile, error) {
	var all []Label
	var bad error
	err := rows.EachRow(path, func(n int, raw []byte) error {
		l, err := parse(raw)
		if err != nil {
			bad = fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, l)
		return bad
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file of labels (see docs/labels.md for the format)", path)
	}
	if err != nil {
		return nil, cmp.Or(bad, err)
	}
	f := &LabelFile{Path: path}
	f.applyLines(all)
	return f, nil
}

// parse returns the label in a line of a file of labels. A line without a labeller was not written by gavel, so its
// other columns are ignored.
func parse(raw []byte) (l Label, err error) {
	var r labelFileRow
	if err := json.Unmarshal(raw, &r); err != nil {
		return l, fmt.Errorf("no JSON object: %w", err)
	}
	columns := labelFileRow{}
	if _, ok := r.text("labeller"); ok {
		maps.Copy(columns, r)
		// columns of a table may be empty
		maps.DeleteFunc(columns, func(_ string, value json.RawMessage) bool { return string(value) == `""` })
	}
	for _, column := range []string{"item", "labeller", "label"} {
		text, ok := r.text(column)
		if !ok && column != "labeller" && string(columns["undo"]) != "true" {
			return l, fmt.Errorf("column %s is missing: a line of labels has %s, "+
				"and labeller where several people made them", column, strings.Join(columnNames[column], " or "))
		}
		columns[column], err = json.Marshal(text)
		if err != nil {
			return l, err
		}
	}
	line, err := json.Marshal(columns)
	if err == nil {
		err = json.Unmarshal(line, &l)
	}
	l.Labeller = cmp.Or(l.Labeller, "label")
	if l.SHA256 == "" && l.DrawMethod == "" { // else gavel wrote it
		l.Label = normalizePairLabel(l.Label)
	}
	return l, err
}

// normalizePairLabel returns a pair's label from another program in gavel's spelling: A, B or tie. Other labels stay.
func normalizePairLabel(label string) string {
	switch strings.ToLower(strings.ReplaceAll(label, " ", "")) {
	case "a>b", "a>>b", "model_a", "response_a":
		return "A"
	case "b>a", "b>>a", "model_b", "response_b":
		return "B"
	case "a=b", "b=a", "tie", "tie(inconsistent)", "equal", "same", "draw":
		return Tie
	}
	return label
}

// key identifies a person's label of an item, shown for the first or for the second time.
type key struct {
	item, labeller string
	repeat         bool
}

// applyLines sets Labels and Again from all lines of the file, in their order: later lines replace or take back earlier
// ones.
func (f *LabelFile) applyLines(all []Label) {
	last := map[key]Label{}
	for _, l := range all {
		k := key{l.Item, l.Labeller, l.Repeat}
		last[k] = l
		if l.Undo {
			delete(last, k)
		}
	}
	inOrder := func(a, b Label) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Labeller, b.Labeller))
	}
	for _, l := range slices.SortedFunc(maps.Values(last), inOrder) {
		if l.Repeat {
			f.RepeatLabels = append(f.RepeatLabels, l)
		} else {
			f.Labels = append(f.Labels, l)
		}
	}
}

// FromVotes returns people's votes on MT-Bench's pairs as labels: A is the model whose name sorts first. path names the
// votes.
func FromVotes(path string, votes []judging.Vote) *LabelFile {
	f := &LabelFile{Path: path}
	var all []Label
	for _, v := range votes {
		all = append(all, Label{Item: v.ItemID(), Labeller: v.Judge, Label: pairLabels[v.Winner]})
	}
	f.applyLines(all)
	return f
}

// hasDisagreementSample reports whether some items were chosen for labelling because judges disagree on them.
func (f *LabelFile) hasDisagreementSample() bool {
	return slices.ContainsFunc(f.Labels, func(l Label) bool { return l.DrawMethod == DrawnByDisagreement })
}

// byItem returns the labels by item id and person, without skipped ones.
func (f *LabelFile) byItem() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, l := range f.Labels {
		if l.Label == "" {
			continue
		}
		if all[l.Item] == nil {
			all[l.Item] = map[string]string{}
		}
		all[l.Item][l.Labeller] = l.Label
	}
	return all
}

// Majority returns by item id the label that more people give than any other, and "" if people are evenly split: a
// split is not the judgment that the responses are equal.
func (f *LabelFile) Majority() map[string]string {
	majority := map[string]string{}
	for item, labels := range f.byItem() {
		votes := map[string]int{}
		maxVotes := 0
		for _, label := range labels {
			votes[label]++
			switch n := votes[label]; {
			case n > maxVotes:
				maxVotes, majority[item] = n, label
			case n == maxVotes:
				majority[item] = ""
			}
		}
	}
	return majority
}
