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
	level, common := inCommon(sides[0], sides[1])
	if level == "" {
		return 0, nil, fmt.Errorf("%s and %s have no sample in common: no inputs, no ids, no questions", a, b)
	}
	x, y := sides[0].by(level), sides[1].by(level)
	var lines bytes.Buffer
	var silent, differ, alien, labelled int
	for _, r := range sides[0].results {
		key := r.known(level)
		if !common[key] {
			continue
		}
		delete(common, key)
		p, q := x[key], y[key]
		if p.text == nil || q.text == nil {
			silent++
			continue
		}
		line := pairLine{
			PairID:    new(cmp.Or(p.id, shortHash(key))),
			Question:  &p.question,
			ModelA:    sides[0].name,
			ModelB:    sides[1].name,
			ResponseA: p.text,
			ResponseB: q.text,
			Label:     new(noLabel),
		}
		if level == "inputs" && p.asked != "" {
			line.PairID = new(shortHash(key))
		}
		if p.question != q.question {
			if differ++; p.stranger(q) {
				alien++
			}
			line.Question = new(cmp.Or(p.asked, p.question))
		}
		if side := better(p.scores, q.scores); scores && side >= 0 {
			line.Label = &pairLabels[side]
			labelled++
		}
		text, err := marshal(line)
		if err != nil {
			return 0, nil, err
		}
		lines.Write(append(text, '\n'))
		n++
	}
	switch {
	case n == 0:
		return 0, nil, fmt.Errorf("%s and %s: no sample has an output with a text in both", a, b)
	case level == "id" && alien == n:
		return 0, nil, fmt.Errorf("%s and %s have ids in common, and no question: they are of different datasets", a, b)
	}
	if _, err := openBytes(out, lines.Bytes(), OpenOptions{}); err != nil { // two samples of one id
		return 0, nil, err
	}
	notes = []string{
		fmt.Sprintf("paired by %s: A is %s, B is %s", level, cmp.Or(sides[0].name, a), cmp.Or(sides[1].name, b)),
	}
	add := func(k int, format string, args ...any) {
		if k > 0 {
			notes = append(notes, fmt.Sprintf(format, append([]any{k}, args...)...))
		}
	}
	for i, name := range []string{a, b} {
		add(len(sides[i].by(level))-n-silent, "%d samples left out that are in %s alone", name)
		add(sides[i].repeats(level),
			"%d outputs left out of %s: another one of the sample stands before them (epochs, repeats)", name)
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

// inCommon is by what samples of two files are found in each other, and what they have in common by it; "" for nothing.
func inCommon(a, b column) (level string, common map[string]bool) {
	common = map[string]bool{}
	for _, level := range []string{"inputs", "id", "question"} {
		x, y := a.by(level), b.by(level)
		for key := range x {
			if y[key] != nil {
				common[key] = true
			}
		}
		if len(common) > 0 {
			return level, common
		}
	}
	return "", nil
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

// known is what a result is known by at a level; "" for nothing.
func (r *result) known(level string) string {
	return map[string]string{"inputs": r.inputs, "id": r.id, "question": r.question}[level]
}

// by are the first results of each sample. What other lines of the sample, by other filters, say of its scores is
// added.
func (c column) by(level string) map[string]*result {
	first := map[string]*result{}
	for i := range c.results {
		r := &c.results[i]
		key := r.known(level)
		switch was := first[key]; {
		case key == "":
		case was == nil:
			first[key] = r
		case was.text != nil && r.text != nil && *was.text == *r.text:
			for name, v := range r.scores {
				if _, has := was.scores[name]; !has {
					was.scores[name] = v
				}
			}
		}
	}
	return first
}

// repeats are the results that others of their sample stand before, with another output.
func (c column) repeats(level string) (n int) {
	first := c.by(level)
	for i := range c.results {
		r := &c.results[i]
		if was := first[r.known(level)]; was != nil && was != r &&
			(was.text == nil || r.text == nil || *was.text != *r.text) {
			n++
		}
	}
	return n
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
