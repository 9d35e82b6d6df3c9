package labels

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/judging"

	"gonum.org/v1/gonum/stat"
)

// Judge holds the verdicts of a run, by item.
type Judge struct {
	Dir      string
	Manifest *judging.Manifest
	// Of has each item of which all presentations have been judged: what the judge names in every presentation, a tie
	// where it names another one in another; "" where a judgment has no verdict.
	Of map[string]string
	// Confidence is the mean probability of that verdict, of items whose records tell those of the labels.
	Confidence map[string]float64
	Gold       map[string]string // labels of the dataset
	Calls      int               // judgments of an item
	Tokens     int               // of all replies, where the server told
	shape      datasets.ShapeInfo
	sums       map[string]string // SHA-256 of the items' lines
	cluster    func(string) string
	clusters   string // what items hang together by, in words
}

// ErrAgents is wrapped by the error of a run that judges several agents' answers to one question, or answers questions
// of pairs itself and judges none.
var ErrAgents = errors.New("judges answers of agents, or none")

// ReadJudge reads a run. Items of which not all presentations have been judged are left out. Answers of several
// agents to one question are no single thing to be labelled, and an error.
func ReadJudge(dir string, how judging.Reading) (*Judge, error) {
	j := &Judge{
		Dir:        dir,
		Of:         map[string]string{},
		Confidence: map[string]float64{},
		Gold:       map[string]string{},
		sums:       map[string]string{},
	}
	type judged struct {
		named         map[int]string // by presentation
		probabilities []float64      // of what is named, where they are known
	}
	items := map[string]*judged{}
	m, err := judging.EachVerdict(dir, how, func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
		if r.Agent != "" || r.Shape == datasets.Open {
			return fmt.Errorf("%s: labels are of pairs, options, answers and preferences: %s %w", dir, r.Protocol, ErrAgents)
		}
		if v.Outcome == judging.Failed {
			return nil
		}
		for _, reply := range r.Replies {
			j.Tokens += reply.ReplyTokens
		}
		if j.cluster == nil {
			j.cluster, j.clusters = r.Cluster()
		}
		item := strings.Clone(r.Item)
		x := items[item]
		if x == nil {
			x = &judged{named: map[int]string{}}
			items[item] = x
			j.Calls = r.Presentations
			j.shape = r.Shape.Info()
			j.Gold[item] = j.spell(goldOf(r))
		}
		x.named[r.Presentation] = named(r, v)
		if p, ok := r.Confidence(asker, v); ok && v.Outcome == judging.Decided {
			x.probabilities = append(x.probabilities, p)
		}
		if len(x.named) < r.Presentations {
			return nil
		}
		label := verdict(x.named)
		j.Of[item] = j.spell(label)
		if label != "" && label != Tie && len(x.probabilities) == len(x.named) {
			j.Confidence[item] = stat.Mean(x.probabilities, nil)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.Manifest = m
	if j.shape.Cut {
		return j, nil // a run may show some of an item's options: its lines are not the dataset's
	}
	return j, j.hash()
}

// grouped is a number with commas between thousands.
var grouped = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$`)

// number returns a number in one spelling, so that 7 and 7.0 are the same.
func number(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if grouped.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", false
	}
	return strconv.FormatFloat(x, 'f', -1, 64), true
}

// spell returns a label, of items that a number answers in the one spelling of the number.
func (j *Judge) spell(label string) string {
	if n, is := number(label); is && j.shape.Numeric {
		return n
	}
	return label
}

// goldOf returns the dataset's label.
func goldOf(r *judging.Record) string {
	if i := slices.Index(r.Order, r.Gold); r.IsPreference() && i >= 0 {
		return pairLabels[r.Positions()[i]]
	}
	return strings.Clone(r.Gold)
}

// named returns what a judgment names; "" without a verdict. A number that is the dataset's is written as there.
func named(r *judging.Record, v judging.Verdict) string {
	switch {
	case v.Outcome == judging.Tie:
		return Tie
	case v.Outcome != judging.Decided:
		return ""
	case r.IsPreference():
		return pairLabels[v.Choice]
	case judging.RightVerdict(r, v):
		return strings.Clone(r.Gold)
	}
	return cmp.Or(r.CandidateID(v.Choice), v.Answer)
}

// has reports whether the judge was asked about the item of a label, as it was when that was made.
func (j *Judge) has(l Label) bool {
	_, is := j.Of[l.Item]
	line := j.sums[l.Item]
	return is && (l.SHA256 == "" || line == "" || line == l.SHA256)
}

// hasAny reports whether the judge was asked about an item with a label.
func (j *Judge) hasAny(file *File) bool {
	return slices.ContainsFunc(file.Labels, func(l Label) bool { return l.Label != "" && j.has(l) })
}

// verdict returns that of all presentations of an item.
func verdict(of map[int]string) string {
	first := ""
	for _, at := range slices.Sorted(maps.Keys(of)) {
		switch said := of[at]; {
		case said == "":
			return ""
		case first == "":
			first = said
		case said != first:
			return Tie
		}
	}
	return first
}

// hash reads the lines of the items, which labels name.
func (j *Judge) hash() error {
	set, err := datasets.OpenFile(filepath.Join(j.Dir, judging.ItemsFile))
	if err != nil {
		return nil // an import may have none
	}
	defer set.Close()
	for i := range set.Len() {
		j.sums[set.ID(i)], err = sum(set, i)
		if err != nil {
			return err
		}
	}
	return nil
}

// Sum returns what a label says of the line that its item stood in.
func Sum(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
