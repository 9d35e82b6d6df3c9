package scoring_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// expectation is a line of a worked example.
var expectation = regexp.MustCompile(
	`^(\S+?)(?:/(\w+))?(?: of (.+?))?: (\S+)(?: of (\d+))?(?: \[(\S+), (\S+)\])?(?: by (\S+))?(?:; (.*?))?(?: — .*)?$`)

// worked holds reports to examples that were worked by hand, in testdata/worked. An example begins with "== "
// and its name. Then comes what was judged, a line each, or nothing where it is as in the example before, and
// what that comes to:
//
//	METRIC/MODE of GROUP: VALUE of N [LOW, HIGH] by INTERVAL; NOTE — reason
//	warns: WORDS
//
// Mode, group (all units), n, interval, note (or how judgments without a verdict counted) and reason may be left out.
// A line "against" parts the judgments of two runs that are compared; then values are METRIC: A and B of N, with
// "table" of those that both are right on, A alone, B alone and neither, "p", and "alike" or "apart". The line "by
// POLICY" says how judgments without a verdict count. # begins a comment. Every report can be printed, and is the
// same whatever the order of the records.
func worked(t *testing.T, name string, run func(t *testing.T, judgments [][]string) *scoring.Run) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "worked", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var judgments [][]string
	for _, example := range strings.Split("\n"+string(text), "\n== ")[1:] {
		title, rest, _ := strings.Cut(example, "\n")
		var lines [][]string
		var expected []string
		policy := ""
		for line := range strings.Lines(rest) {
			line, _, _ = strings.Cut(line, "#")
			line = strings.TrimSpace(line)
			switch by, isPolicy := strings.CutPrefix(line, "by "); {
			case line == "":
			case isPolicy:
				policy = by
			case strings.Contains(line, ": "):
				expected = append(expected, line)
			default:
				lines = append(lines, strings.Fields(line))
			}
		}
		if lines != nil {
			judgments = lines
		}
		t.Run(title, func(t *testing.T) {
			if at := slices.IndexFunc(judgments, func(f []string) bool { return f[0] == "against" }); at >= 0 {
				a, b := run(t, judgments[:at]), run(t, judgments[at+1:])
				c := compare(t, quick, a, b).Comparisons[0]
				back := compare(t, quick, b, a).Comparisons[0]
				for _, line := range expected {
					expectDifference(t, c, back, line)
				}
				return
			}
			rep, printed := scoredBy(t, run(t, judgments), policy)
			slices.Reverse(judgments)
			if _, backwards := scoredBy(t, run(t, judgments), policy); backwards != printed {
				t.Errorf("in another order of the records %s\nis %s", printed, backwards)
			}
			slices.Reverse(judgments)
			for _, line := range expected {
				expect(t, rep, line)
			}
		})
	}
}

// scoredBy is the report of a run by a policy, and as it is printed.
func scoredBy(t *testing.T, run *scoring.Run, policy string) (rep scoring.Report, printed string) {
	t.Helper()
	run.SetMissingPolicy(scoring.MissingPolicy(policy))
	rep = run.Score(quick)
	var all strings.Builder
	for _, format := range []string{report.FullText, report.CSV, report.JSON} {
		if err := report.Print(&all, report.Scores{Runs: []scoring.Report{rep}}, format, 0); err != nil {
			t.Error(err)
		}
	}
	return rep, all.String()
}

// expect holds a report to a line of a worked example.
func expect(t *testing.T, rep scoring.Report, line string) {
	t.Helper()
	if words, warns := strings.CutPrefix(line, "warns: "); warns {
		if !strings.Contains(strings.Join(rep.Warnings, "\n"), words) {
			t.Errorf("no warning %q in %q", words, rep.Warnings)
		}
		return
	}
	f := expectation.FindStringSubmatch(line)
	if f == nil {
		t.Fatalf("%q is no expectation", line)
	}
	value, n, by, note := f[4], f[5], f[8], f[9]
	r := rep.Result(f[1], cmp.Or(f[3], scoring.Overall), f[2])
	if r.Metric == "" || !within(r.Value, value, 1.01e-4, r.Unit) || !within(r.Low, f[6], 1e-3, r.Unit) ||
		!within(r.High, f[7], 1e-3, r.Unit) || n != "" && n != strconv.Itoa(r.N) || by != "" && by != r.IntervalMethod ||
		!strings.Contains(r.Note, note) && !strings.Contains(r.MissingRule, note) || value == "undefined" && r.Note == "" {
		t.Errorf("%s: %s", line, show(r))
	}
}

// within tells whether a number is what a worked example says, which may say nothing.
func within(got *float64, want string, tolerance float64, unit string) bool {
	w, err := strconv.ParseFloat(want, 64)
	if err != nil {
		return want == "" || (got == nil) == (want == "undefined")
	}
	if unit != "" {
		tolerance /= 100
	}
	return got != nil && math.Abs(*got-w) <= tolerance
}

// difference is a line of a worked example of two runs.
var difference = regexp.MustCompile(`^(\S+?)(?:/(\w+))?(?: of (.+?))?: (\S+) and (\S+)(?: of (\d+))?` +
	`(?: table (\d+) (\d+) (\d+) (\d+))?(?: p (\S+))?(?: (alike|apart))?(?:; (.*?))?(?: — .*)?$`)

// expectDifference holds a comparison, and the one the other way round, to a line of a worked example.
func expectDifference(t *testing.T, c, back *scoring.Comparison, line string) {
	t.Helper()
	f := difference.FindStringSubmatch(line)
	if f == nil {
		rep := scoring.Report{Results: slices.Clone(c.BestWorstChoices), Warnings: c.Warnings}
		if c.Ensemble != nil {
			rep.Results = append(rep.Results, c.Ensemble.Coverage, c.Ensemble.Strict)
		}
		for i := range rep.Results {
			rep.Results[i].Group = scoring.Overall
		}
		expect(t, rep, line)
		return
	}
	group := cmp.Or(f[3], scoring.Overall)
	d, other := differenceIn(t, c, f[1], group, f[2]), differenceIn(t, back, f[1], group, f[2])
	table := ""
	if d.Table != nil {
		table = fmt.Sprint(d.Table.Both, d.Table.OnlyA, d.Table.OnlyB, d.Table.Neither)
	}
	both := d.A != nil && d.B != nil
	if !within(d.A, f[4], 1.01e-4, d.Unit) || !within(d.B, f[5], 1.01e-4, d.Unit) || f[6] != "" && f[6] != strconv.Itoa(d.N) ||
		f[7] != "" && table != strings.Join(f[7:11], " ") || !within(d.P, f[11], 1e-9, "") ||
		f[12] != "" && d.NotSignificant != (f[12] == "alike") || !strings.Contains(d.Note, f[13]) ||
		both != (d.BMinusA != nil) || both && math.Abs(*d.BMinusA-(*d.B-*d.A)) > 2e-4 || d.P != nil && *d.Holm < *d.P {
		t.Errorf("%s: %+v, table %s, p %v", line, d, table, number(d.P))
	}
	if number(other.A) != number(d.B) || number(other.P) != number(d.P) || both && *other.BMinusA != -*d.BMinusA ||
		other.NotSignificant != d.NotSignificant {
		t.Errorf("%s: the other way round %+v", line, other)
	}
}

// times repeats a line that begins with "10x" or with a range of ids, "1-10"; other lines stand once.
func times(line []string) (all [][]string) {
	first, last, many := strings.Cut(strings.Replace(line[0], "x", "-", 1), "-")
	from, err := strconv.Atoi(first)
	if !many || err != nil {
		return [][]string{line}
	}
	id, to := "", 0
	if to, err = strconv.Atoi(last); err != nil { // 10x
		id, from, to = fmt.Sprint(line), 1, from
	}
	for i := from; i <= to; i++ {
		all = append(all, slices.Concat([]string{fmt.Sprint(id, i)}, line[1:]))
	}
	return all
}

// Pairs: the goal; then id, or how many; category, label, what the two judgments came to, and whether the
// judge's own answer is right.
func TestPairsByHand(t *testing.T) {
	worked(t, "pairs", func(_ *testing.T, judgments [][]string) *scoring.Run {
		var units []twoJudgments
		m := pairsManifest(0)
		for _, line := range judgments {
			if line[0] == "goal" {
				m.Spec.Goal, m.ID = line[1], line[1]
				m.Spec.Protocol = map[string]string{"better": "pairwise", "worse": "reversed"}[line[1]]
				continue
			}
			for _, f := range times(line) {
				u := unit(f[0], f[1], f[2], f[3:5]...)
				if len(f) > 5 {
					u.own = &datasets.Answer{Right: f[5] == "own=1"}
				}
				units = append(units, u)
			}
		}
		m.Spec.Dataset.Items = len(units)
		return runBy(m, units...)
	})
}

// Answers that were judged: question@agent, or how many questions; whether the judge's own answer is right (1, 0, or -
// without one) and whether the agent's is; and what each mode said: C or I, - for no verdict, or an outcome.
func TestSelfReferenceByHand(t *testing.T) {
	worked(t, "self-reference", func(t *testing.T, judgments [][]string) *scoring.Run {
		var all []judgedAnswer
		word := strings.NewReplacer("-", "")
		for _, line := range judgments {
			for _, f := range times(line) {
				question, agent, _ := strings.Cut(f[0], "@")
				all = append(all, judgedAnswer{
					question: question, agent: agent, noOwn: f[1] == "-", own: f[1] == "1", right: f[2] == "1",
					cot: word.Replace(f[3]), self: word.Replace(f[4]),
				})
			}
		}
		return judgedRun(t, all...)
	})
}

// Items with several options: id, the positions that were named in each rotation (0 is a reply without a
// verdict), and "gold=01", "ranks=0,1,2" of the options, "equal=01+02" of one text, "unrelated" of the first,
// "failed=1" of a rotation.
func TestOptionsByHand(t *testing.T) {
	worked(t, "options", func(t *testing.T, judgments [][]string) *scoring.Run {
		var items []optionItem
		options := judging.Settings{}
		for _, f := range judgments {
			item := optionItem{id: f[0]}
			for _, word := range f[1:] {
				key, value, _ := strings.Cut(word, "=")
				switch key {
				case "goal":
					options["goal"] = value
				case "gold":
					item.gold = value
				case "equal":
					item.equal = append(item.equal, strings.Split(value, "+"))
				case "unrelated":
					item.unrelated = true
				case "failed", "cut":
					place, _ := strconv.Atoi(value)
					if item.outcome == nil {
						item.outcome = map[int]judging.Outcome{}
					}
					item.outcome[place] = judging.Outcome(key)
				case "ranks":
					item.ranks = map[string]int{}
					for i, rank := range strings.Split(value, ",") {
						item.ranks[fmt.Sprintf("%02d", i+1)], _ = strconv.Atoi(rank)
					}
				default:
					place, _ := strconv.Atoi(word)
					item.places = append(item.places, place)
				}
			}
			items = append(items, item)
		}
		return optionRun(t, options, items...)
	})
}

// Answers: id, or several; the shape of the question, its category, options and label, and the reply.
func TestAnswersByHand(t *testing.T) {
	shapes := map[string]func(id, group, gold, reply string, options int) *judging.Record{
		"choice": choice, "number": numeric, "preference": preferred,
	}
	worked(t, "answers", func(t *testing.T, judgments [][]string) *scoring.Run {
		var records []*judging.Record
		for _, line := range judgments {
			for _, f := range times(line) {
				options, _ := strconv.Atoi(f[3])
				records = append(records, shapes[f[1]](f[0], f[2], strings.Trim(f[4], "-"), strings.Join(f[5:], " "), options))
			}
		}
		return gather(t, manifestOf("answer", len(records)), records)
	})
}
