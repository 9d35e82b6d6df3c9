// Package labels is what people say of a dataset's items, and what judges are worth by it: how far they agree,
// whether one may stand in for a person, what a share of verdicts is in truth, and above which confidence a judge is
// right. Labels are lines of JSON, one a label.
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

// Tie is the label of an item of which no response is better, and the verdict of a judge that names
// another one in another order.
const Tie = "tie"

// pairLabels are those of pairs, by [judging.Vote]'s winner.
var pairLabels = [...]string{"A", "B", Tie}

// Label is what a person said of an item: one line of labels.jsonl.
type Label struct {
	// its id in the dataset
	Item string `json:"item"`
	// who said it
	Labeller string `json:"labeller"`
	// the id of the response that is best, such as A; `tie`; of other items the answer; empty where it was skipped
	Label string `json:"label"`
	// SHA256 is of the item's line in the dataset, so that one that was changed since is found.
	SHA256 string `json:"sha256,omitempty"`
	Again  bool   `json:"again,omitempty"` // the item had been shown before, with its sides exchanged: for self-agreement
	Undo   bool   `json:"undo,omitempty"`  // takes back what this person said of the item
	Note   string `json:"note,omitempty"`  // in the labeller's words
	Drawn  string `json:"drawn,omitempty"` // how items were chosen: `random` or `disagreement`; empty where nobody knows
	Seed   int64  `json:"seed,omitempty"`  // of the draw, the order and the sides
}

// How items were chosen.
const (
	ByRandom       = "random"       // each as likely as the others
	ByDisagreement = "disagreement" // those on which judges disagree more often; no longer done
)

// File is a file of labels.
type File struct {
	Path   string
	Labels []Label // those that stand, the last of each person on each item, in the order of items and persons
	Again  []Label // the second ones of items that were shown twice

	SplitAsTie bool // pairs on which people are evenly split count as ties; else they are left out
}

// row is a line of anybody's file of labels.
type row map[string]json.RawMessage

// names of the columns, the first is ours.
var names = map[string][]string{
	"item":     {"item", "item_id", "id", "pair_id"},
	"labeller": {"labeller", "labeler", "annotator", "rater", "person", "user"},
	"label":    {"label", "winner", "vote", "answer", "choice"},
}

// text returns the value of a column, without the space around it unless gavel wrote the line.
func (r row) text(column string) (string, bool) {
	for _, name := range names[column] {
		raw, is := r[name]
		if !is || string(raw) == "null" {
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

// Read reads a file of labels: labels.jsonl, or rows of anybody's with an item, a label and, where there are several
// people, who said it, as JSON lines, JSON, CSV or Parquet. A line that cannot be used is an error that says which.
func Read(path string) (*File, error) {
	var all []Label
	var bad error
	err := rows.Each(path, func(n int, raw []byte) error {
		l, err := parse(raw)
		if err != nil {
			bad = fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, l)
		return bad
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file of labels (docs/labels.md has its format)", path)
	}
	if err != nil {
		return nil, cmp.Or(bad, err)
	}
	f := &File{Path: path}
	f.settle(all)
	return f, nil
}

// parse returns the label of a line. Without a labeller the columns that are not of a label are somebody else's.
func parse(raw []byte) (l Label, err error) {
	var r row
	if err := json.Unmarshal(raw, &r); err != nil {
		return l, fmt.Errorf("no JSON object: %w", err)
	}
	own := row{}
	if _, is := r.text("labeller"); is {
		maps.Copy(own, r)
		maps.DeleteFunc(own, func(_ string, value json.RawMessage) bool { return string(value) == `""` }) // in a table
	}
	for _, column := range []string{"item", "labeller", "label"} {
		text, is := r.text(column)
		if !is && column != "labeller" && string(own["undo"]) != "true" {
			return l, fmt.Errorf("no column %s: a line of labels has %s, "+
				"and labeller where several people made them", column, strings.Join(names[column], " or "))
		}
		own[column], err = json.Marshal(text)
		if err != nil {
			return l, err
		}
	}
	line, err := json.Marshal(own)
	if err == nil {
		err = json.Unmarshal(line, &l)
	}
	l.Labeller = cmp.Or(l.Labeller, "label")
	if l.SHA256 == "" && l.Drawn == "" { // else gavel wrote it
		l.Label = plain(l.Label)
	}
	return l, err
}

// plain returns a label in gavel's words.
func plain(label string) string {
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

// key is one person on one item.
type key struct {
	item, who string
	again     bool
}

// settle sets the labels that stand after all lines.
func (f *File) settle(all []Label) {
	last := map[key]Label{}
	for _, l := range all {
		k := key{l.Item, l.Labeller, l.Again}
		if l.Undo {
			delete(last, k)
		} else {
			last[k] = l
		}
	}
	inOrder := func(a, b Label) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Labeller, b.Labeller))
	}
	for _, l := range slices.SortedFunc(maps.Values(last), inOrder) {
		if l.Again {
			f.Again = append(f.Again, l)
		} else {
			f.Labels = append(f.Labels, l)
		}
	}
}

// OfVotes returns the votes on MT-Bench's pairs as labels: A is the model whose name sorts first.
func OfVotes(path string, votes []judging.Vote) *File {
	f := &File{Path: path}
	all := make([]Label, len(votes))
	for i, v := range votes {
		all[i] = Label{Item: v.Item(), Labeller: v.Judge, Label: pairLabels[v.Winner]}
	}
	f.settle(all)
	return f
}

// byDisagreement reports whether some items were chosen because judges disagree on them.
func (f *File) byDisagreement() bool {
	return slices.ContainsFunc(f.Labels, func(l Label) bool { return l.Drawn == ByDisagreement })
}

// Majority returns the label that most people give each item that any of them gave one, and "" where they are evenly
// split: that no label has most votes is not the judgment that the responses are equal.
func (f *File) Majority() map[string]string {
	counts := map[string]map[string]int{}
	for _, l := range f.Labels {
		if l.Label == "" {
			continue
		}
		if counts[l.Item] == nil {
			counts[l.Item] = map[string]int{}
		}
		counts[l.Item][l.Label]++
	}
	majority := map[string]string{}
	for item, of := range counts {
		most, said := 0, ""
		for _, label := range slices.Sorted(maps.Keys(of)) {
			switch n := of[label]; {
			case n > most:
				most, said = n, label
			case n == most:
				said = ""
			}
		}
		majority[item] = said
	}
	return majority
}
