package report

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// The headline of a leaderboard, and all else that is said about one, for terminals and pages.

// mostItems returns the largest number of items that one of some judges judged.
func mostItems(rows []Standing) (n int) {
	for _, s := range rows {
		n = max(n, s.Headline.N)
	}
	return n
}

// placed returns the judges that have a value.
func (b Board) placed() []Standing {
	return slices.DeleteFunc(slices.Clone(b.Rows), func(s Standing) bool { return s.First == 0 })
}

// Best returns the judges that no other is significantly better than, from the first row to the first that is not
// one. A judge of fewer than half of the items of others is left out: it has too few items for any rank.
func (b Board) Best() (best []Standing) {
	placed := b.placed()
	most := mostItems(placed)
	for _, s := range placed {
		if s.First > 1 {
			break
		}
		if 2*s.Headline.N >= most {
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return placed[:min(1, len(placed))]
	}
	return best
}

// answer returns the sentences on the best judges, how good they are, and whether they differ significantly.
func (b Board) answer() string {
	first, rest := b.sentences()
	return strings.TrimSpace(first + " " + rest)
}

// sentences returns the answer and the sentences after it.
func (b Board) sentences() (first, rest string) {
	placed := b.placed()
	best := b.Best()
	alike := !slices.ContainsFunc(placed, func(s Standing) bool { return s.First > 1 })
	switch {
	case len(placed) == 0:
		return "No judge has a value yet.", ""
	case len(placed) == 1:
		return fmt.Sprintf("%s: %s", placed[0].Name, b.values(placed)), b.warning()
	case b.Test == "":
		first := placed[:1]
		return fmt.Sprintf("%s has the highest score: %s", namesOf(first), b.values(first)),
			strings.TrimSpace(doc.Phrase("board.not-tested") + " " + b.warning())
	case alike && len(placed) == 2:
		return doc.Phrase("board.two-tied", namesOf(placed), b.values(placed)), b.warning()
	case alike:
		return doc.Phrase("board.all-tied", len(placed), b.values(placed)),
			b.warning()
	}
	first = fmt.Sprintf("%s %s: %s", namesOf(best), b.verb(len(best)), b.values(best))
	if len(best) > 1 {
		rest = doc.Phrase("board.tied") + " "
	}
	return first, strings.TrimSpace(rest + b.warning())
}

// verb returns the verb of a sentence on so many best judges. A headline need not be a share of what is right.
func (b Board) verb(judges int) string {
	switch {
	case !b.ofRight() && judges == 1:
		return "has the highest " + b.headline()
	case !b.ofRight():
		return "have the highest " + b.headline()
	case judges == 1:
		return "judges best"
	}
	return "judge best"
}

// ofRight reports whether the headline is a share of what is right.
func (b Board) ofRight() bool { return strings.HasPrefix(b.headline(), "correct") }

// warning returns a warning if the headline does not know what is right, or if no judge is usable; "" otherwise.
func (b Board) warning() string {
	if l := layoutOf(b.Rows[0].Report.Protocol); l.Unlabelled == b.Metric {
		return strings.TrimSpace(l.Steady + " " + b.useless())
	}
	return b.useless()
}

// useless returns a warning if no judge is usable; "" otherwise.
func (b Board) useless() string {
	useful := func(s Standing) bool { return s.Level == scoring.Usable || s.Level == scoring.Strong }
	unknown := 0
	for _, s := range b.Rows {
		if s.Level == scoring.Unknown {
			unknown++
		}
	}
	switch {
	case slices.ContainsFunc(b.Rows, useful):
		return ""
	case len(b.Rows) == 1 && b.Rows[0].Level == scoring.Unknown:
		return doc.Phrase("board.unknown-one")
	case len(b.Rows) == 1:
		return fmt.Sprintf("That is %s.", b.Rows[0].Level)
	}
	switch unknown {
	case 0:
		return "None of the judges here is usable."
	case len(b.Rows):
		return doc.Phrase("board.unknown-all")
	}
	return "None of the judges here is known to be usable."
}

// most is the number of values that are listed one by one.
const most = 3

// namesOf lists the names of judges.
func namesOf(rows []Standing) string {
	names := make([]string, len(rows))
	for i, s := range rows {
		names[i] = scoring.InSentence(s.Name)
	}
	return listed3(names)
}

// Enumerate joins words as a sentence does.
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// values returns a sentence on the judges' headline values: "correct in both orders on 81, 80 and 76 % of the pairs."
func (b Board) values(rows []Standing) string {
	unit := rows[0].Headline.Unit
	var values []string
	for _, s := range rows {
		if v := table.Rough(s.Headline.Value, s.Headline); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	all := Enumerate(values)
	if len(values) > most {
		all = values[len(values)-1] + " to " + values[0]
	}
	if unit == "" {
		all += " %"
	}
	if b.ofRight() {
		return fmt.Sprintf("%s on %s of the %ss.", b.headline(), all, b.Unit)
	}
	return all + "."
}
