package multioption

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

// gradePrompt names the prompt that asks for a grade of each option, from 0 to 5, before the selection.
const gradePrompt = "4"

// gradeMetrics lists the metrics of the grades of the options: how many judgments with a verdict have them, whether
// the choice has the highest one, and of how many pairs of options with another label they have the order.
var gradeMetrics = []scoring.SumMetric[scoredBallot]{
	{Metric: scoring.Metric{Name: "option-grades", Kind: scoring.KindTrials, OmitsEmptyGroups: true}},
	{Metric: scoring.Metric{Name: "option-grades-choice", Kind: scoring.KindTrials, OmitsEmptyGroups: true}},
	{Metric: scoring.Metric{Name: "option-grades-order", Kind: scoring.KindTrials, OmitsEmptyGroups: true}},
}

// gradedOptionPattern matches an option with its grade: "Option 2: 4/5", "**Option 2** – Grade: 4", "| Option 2 | [4]
// |". A number that a sentence goes on after, or that stands on another line without the word, is no grade.
var gradedOptionPattern = regexp.MustCompile(`(?im)\boption (\d+)[\])*_"']*` +
	`(?:[ \t]*(?:[:=|(–—-]|->|→)[ \t*_"(\[]*|[\s:(*_|–—-]*\b(?:grade|score|rating)\b[ \t:=(*_–—-]*)` +
	`([0-4](?:\.\d+)?|5(?:\.0+)?)(?:(?:[ \t]*/|[ \t]+out of)[ \t]*5(?:\.0)?)?(?:[ \t]+points?)?[\])*_"]*` +
	`[ \t]*(?:\r?$|[.,;:](?:\s|$)|[|(})\]–—;]|-\s)`)

// addGrades adds the grades in a reply unless it lacks one, has two of one option, or has one above 5. A right
// option is above the others; if all are ranked, the ranks count, with the unrelated option last.
func (b *ballot) addGrades(r *judging.Record) {
	row := &b.gradeRow
	row[1]++
	reply, _ := backends.SplitThinking(r.Replies[0].Text)
	byNumber := map[string]float64{}
	for _, m := range gradedOptionPattern.FindAllStringSubmatch(reply, -1) {
		grade, _ := strconv.ParseFloat(m[2], 64)
		earlier, ok := byNumber[m[1]]
		if ok && earlier != grade {
			return
		}
		byNumber[m[1]] = grade
	}
	var grades []float64 // by position
	var ranks []int
	for position, id := range r.Order {
		grade, ok := byNumber[strconv.Itoa(position+1)]
		if !ok {
			return
		}
		rank, ranked := r.Ranks[id]
		if id != r.Gold && (!ranked || len(r.Ranks) < b.ownOptionCount()) {
			rank = math.MaxInt
		}
		grades = append(grades, grade)
		ranks = append(ranks, rank)
	}
	highest := 0.0 // options with the highest grade
	for c, grade := range grades {
		highest += scoring.Indicator(grade == slices.Max(grades))
		for d := range grades {
			if ranks[c] < ranks[d] {
				row[4] += 0.5 + 0.5*float64(cmp.Compare(grade, grades[d]))
				row[5]++
			}
		}
	}
	row[0]++
	row[2] += scoring.Indicator(grades[b.positions[r.Presentation]] == slices.Max(grades)) / highest
	row[3]++
}
