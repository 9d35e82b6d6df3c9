package datasets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// PairResults writes a file of pairs of two columns of outputs: of two result files, or of two models in one, each
// named FILE or FILE#MODEL. Samples are those with the same inputs or, where there are none in common, the same id,
// else the same question. A pair is labelled where all scores that both outputs have and that differ are higher of
// the same one, unless scores are not to be used. The notes say what was left out, and why.
func PairResults(a, b, out string, scores bool) (n int, notes []string, err error) {
	var sides [2]column
	for i, name := range []string{a, b} {
		sides[i], err = readColumn(name)
		if err != nil {
			return 0, nil, err
		}
	}
	by, x, y := sides[0].inCommon(sides[1])
	if by.what == "" {
		return 0, nil, fmt.Errorf("%s and %s have no sample in common: no inputs, no ids, no questions", a, b)
	}
	var lines bytes.Buffer
	var silent, differ, alien, labelled int
	for _, key := range x.order {
		if y.first[key] == nil {
			continue
		}
		p, q := x.first[key], y.first[key]
		if p.text == nil || q.text == nil {
			silent++
			continue
		}
		it := Item{ID: cmp.Or(p.id, shortHash(key)), Shape: Pair, Question: p.question, Gold: NoGold}
		it.Candidates = []Candidate{{Model: sides[0].name, Text: *p.text}, {Model: sides[1].name, Text: *q.text}}
		if by.what == "inputs" && p.asked != "" {
			it.ID = shortHash(key)
		}
		if p.question != q.question {
			if differ++; p.stranger(q) {
				alien++
			}
			it.Question = cmp.Or(p.asked, p.question)
		}
		if side := better(p.scores, q.scores); scores && side >= 0 {
			it.Gold = side
			labelled++
		}
		text, err := it.line()
		if err != nil {
			return 0, nil, err
		}
		lines.Write(append(text, '\n'))
		n++
	}
	switch {
	case n == 0:
		return 0, nil, fmt.Errorf("%s and %s: no sample has an output with a text in both", a, b)
	case by.what == "id" && alien == n:
		return 0, nil, fmt.Errorf("%s and %s have ids in common, and no question: they are of different datasets", a, b)
	}
	notes = []string{
		fmt.Sprintf("paired by %s: A is %s, B is %s", by.what, cmp.Or(sides[0].name, a), cmp.Or(sides[1].name, b)),
	}
	add := func(k int, format string, args ...any) {
		if k > 0 {
			notes = append(notes, fmt.Sprintf(format, append([]any{k}, args...)...))
		}
	}
	for i, of := range []samples{x, y} {
		name := []string{a, b}[i]
		add(len(of.order)-n-silent, "%d samples left out that are in %s alone", name)
		add(of.repeats, "%d outputs left out of %s: another one of the sample stands before them (epochs, repeats)", name)
	}
	add(silent, "%d samples left out: one of the two has no text for an output (an error, or likelihoods)")
	add(differ, "%d pairs were asked in other words by the two: the question is what both were given, or that of A")
	add(labelled, "%d pairs are labelled by the scores in the files, the higher one the better; "+
		"--unlabelled leaves that out")
	add(n-labelled, "%d pairs have no label")
	if err := writeNew(out, lines.Bytes()); err != nil {
		return 0, nil, err
	}
	return n, notes, nil
}

// identity is what samples of two files may be found in each other by.
type identity struct {
	what string
	of   func(*result) string // "" for nothing
}

var identities = []identity{
	{"inputs", func(r *result) string { return r.inputs }},
	{"id", func(r *result) string { return r.id }},
	{"question", func(r *result) string { return r.question }},
}

// inCommon are the samples of two files by the first identity that some of both share; the zero value where none do.
func (c column) inCommon(other column) (by identity, x, y samples) {
	for _, by := range identities {
		x, y := c.samples(by), other.samples(by)
		if slices.ContainsFunc(x.order, func(key string) bool { return y.first[key] != nil }) {
			return by, x, y
		}
	}
	return by, x, y
}

// stranger tells whether nothing that was asked is the same.
func (r *result) stranger(q *result) bool {
	return q.asked != r.question && (r.asked == "" || r.asked != q.asked)
}

// column is the outputs of one model in a file.
type column struct {
	name    string
	results []result
}

// readColumn reads FILE or FILE#MODEL.
func readColumn(name string) (c column, err error) {
	path, model := name, ""
	if _, gone := os.Stat(name); gone != nil && strings.Contains(name, "#") {
		at := strings.LastIndex(name, "#")
		path, model = name[:at], name[at+1:]
	}
	all, err := readResults(path)
	if err != nil {
		return c, err
	}
	var columns []string
	for _, r := range all {
		if !slices.Contains(columns, r.column) {
			columns = append(columns, r.column)
		}
	}
	switch {
	case len(all) == 0:
		return c, fmt.Errorf("%s: no outputs in it", path)
	case model == "" && len(columns) > 1:
		return c, fmt.Errorf("%s has the outputs of %d models: write %s#MODEL, of %s",
			path, len(columns), path, strings.Join(columns, ", "))
	case model != "" && !slices.Contains(columns, model):
		return c, errors.New(path + " has no outputs of " + model + "; there are those of " + strings.Join(columns, ", "))
	}
	c.name = cmp.Or(model, columns[0])
	c.results = slices.DeleteFunc(all, func(r result) bool { return r.column != c.name })
	return c, nil
}

// samples are the first results of each sample.
type samples struct {
	first   map[string]*result
	order   []string // of the keys, as in the file
	repeats int      // results that others of their sample stand before, with another output
}

// samples finds them by an identity. What other lines of a sample with the same output, by other filters, say of its
// scores is added.
func (c column) samples(by identity) samples {
	out := samples{first: map[string]*result{}}
	for i := range c.results {
		r := &c.results[i]
		key := by.of(r)
		switch was := out.first[key]; {
		case key == "":
		case was == nil:
			out.first[key] = r
			out.order = append(out.order, key)
		case was.text != nil && r.text != nil && *was.text == *r.text:
			for name, v := range r.scores {
				if _, has := was.scores[name]; !has {
					was.scores[name] = v
				}
			}
		default:
			out.repeats++
		}
	}
	return out
}

// better is the side that all common scores which differ prefer; -1 where there is none.
func better(a, b map[string]float64) int {
	side := -1
	for name, x := range a {
		y, both := b[name]
		if !both || !(x < y || x > y) {
			continue
		}
		this := 0
		if y > x {
			this = 1
		}
		if side >= 0 && side != this {
			return -1
		}
		side = this
	}
	return side
}

func shortHash(key string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:12] }
