package server

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
)

// column is what the list of items can show beside, read from the records.
type column struct {
	Name, Words string
	Right       bool // it holds numbers
	of          func([]store.Judged) string
}

// columns are all there are, in their order.
var columns = []column{
	{"label", "Labels", false, each(func(j store.Judged) string { return j.Verdict.Label + j.Verdict.Answer })},
	{"confidence", "Confidence", true, each(func(j store.Judged) string {
		if j.Confidence == nil {
			return ""
		}
		return strconv.FormatFloat(100**j.Confidence, 'f', 0, 64) + " %"
	})},
	{"tokens", "Reply tokens", true, sum(func(r judging.Reply) float64 { return float64(r.ReplyTokens) }, 0)},
	{"seconds", "Seconds", true, sum(func(r judging.Reply) float64 { return r.Milliseconds / 1000 }, 1)},
	{"length", "Reply length, characters", true, sum(func(r judging.Reply) float64 { return float64(utf8.RuneCountInString(r.Text)) }, 0)},
}

// each says something of every judgment, in the order of the strip.
func each(of func(store.Judged) string) func([]store.Judged) string {
	return func(all []store.Judged) string {
		words, some := make([]string, len(all)), false
		for i, j := range all {
			words[i] = markup.Shortened(of(j), 40)
			if some = some || words[i] != ""; words[i] == "" {
				words[i] = "–"
			}
		}
		if !some {
			return ""
		}
		return strings.Join(words, ", ")
	}
}

// sum is over all replies of an item; "" where nothing is known of them.
func sum(of func(judging.Reply) float64, decimals int) func([]store.Judged) string {
	return func(all []store.Judged) string {
		total := 0.0
		for _, j := range all {
			for _, r := range j.Replies {
				total += of(r)
			}
		}
		switch {
		case total == 0:
			return ""
		case decimals == 0:
			return grouped(int(math.Round(total)))
		}
		return strconv.FormatFloat(total, 'f', decimals, 64)
	}
}

// columnsOf reads which columns a query asks for, in one value or several.
func columnsOf(values []string) ([]string, error) {
	var names []string
	for _, v := range values {
		for name := range strings.SplitSeq(v, ",") {
			if name != "" && !slices.ContainsFunc(columns, func(c column) bool { return c.Name == name }) {
				return nil, failure.Bad("columns %q: choose from label, confidence, tokens, seconds, length", markup.Visible(name))
			}
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func chosen(names []string) (out []column) {
	for _, c := range columns {
		if slices.Contains(names, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// Has tells whether a column was chosen.
func (f ItemsFilter) Has(column string) bool { return slices.Contains(f.Columns, column) }

// fill writes the chosen columns of the items of a page.
func (s *Server) fill(x *store.Index, page []int, v *ItemsView) error {
	records, _, err := s.runs.Open(x.Run, judging.RecordsFile)
	if err != nil {
		return nil // no judgment yet
	}
	defer records.Close()
	for k, i := range page {
		var all []store.Judged
		for _, g := range x.Judgments(i) {
			j, err := x.Record(records, g)
			if err != nil {
				return err
			}
			all = append(all, j)
		}
		for _, c := range v.Chosen {
			v.Items[k].Cells = append(v.Items[k].Cells, c.of(all))
		}
	}
	return nil
}
