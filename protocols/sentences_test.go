package protocols_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/selfreference"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// told is a report with a diagnosis, and what its numbers are.
type told struct {
	name     string
	protocol string
	imported bool
	report   scoring.Report

	alike float64 // of pairs: percent judged alike in both orders
	right float64 // percent of what is judged, of pairs of those judged alike
	first float64 // of pairs: percent of verdicts that name the first
	calls float64 // of self-reference: percent of answers called Correct
}

// share is a result of k of n, as scores have it.
func share(metric, mode string, k, n int) scoring.Result {
	r := scoring.Result{Metric: metric, Group: scoring.Overall, Mode: mode, N: n, Interval: scoring.ByBlaker}
	if n > 0 {
		iv := stats.Blaker(k, n, 0.95)
		r.Value, r.Low, r.High = scoring.Percent(float64(k)/float64(n)), scoring.Percent(iv.Low), scoring.Percent(iv.High)
	}
	return r
}

func percent(k, n int) float64 { return 100 * float64(k) / float64(max(1, n)) }

// pairsTold are n pairs, so many judged alike, of these so many right. The other verdicts follow the position: the
// first, or the first and the second in turn.
func pairsTold(protocol string, n, alike, right int, turns bool) told {
	first := alike + 2*(n-alike)
	if turns {
		first = alike + 2*((n-alike+1)/2)
	}
	rep := scoring.Report{Items: n, Expected: n, Goal: "better", Outcomes: map[string]int{scoring.Decided: 2 * n}}
	if protocol == "reversed" { // what it names it calls the worse
		rep.Goal, first = "worse", 2*n-first
	}
	pull := share("first-position", "", first, 2*n)
	rep.Results = []scoring.Result{
		share("strict", "", right, n), share("drop", "", right, n), share("consistency", "", alike, n), pull,
		share("coverage", "", alike, n),
	}
	if alike > 0 {
		rep.Results = append(rep.Results, share("right-where-alike", "", right, alike))
	}
	named := *pull.Value
	if protocol == "reversed" {
		named = 100 - named
	}
	return told{name: fmt.Sprintf("%d pairs, %d alike, %d right, turns %t", n, alike, right, turns), protocol: protocol,
		report: rep, alike: percent(alike, n), right: percent(right, alike), first: named}
}

// answersTold are n questions of four options, or numbers, so many answered right.
func answersTold(n, right int, options bool) told {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.Decided: n},
		Results: []scoring.Result{share(scoring.GenerationAccuracy, "", right, n)}}
	if options {
		rep.Results = append(rep.Results, scoring.Result{Metric: answer.Chance, Group: scoring.Overall, Value: new(25.0), N: n})
	}
	name := fmt.Sprintf("%d answers, %d right, options %t", n, right, options)
	return told{name: name, protocol: "answer", report: rep, right: percent(right, n)}
}

// choicesTold are n items of two options, so many choices right.
func choicesTold(n, right int) told {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.Decided: 2 * n}, Results: []scoring.Result{
		share("accuracy", "", right, n), {Metric: "accuracy-random", Group: scoring.Overall, Value: new(50.0), N: n},
		share("same-choice", "", right, n), share("right-every-order", "", right, n)},
		Breakdowns: []scoring.Breakdown{{Group: scoring.Overall, N: n, Parts: []scoring.Part{
			{Name: multioption.PartRight, N: right}, {Name: multioption.PartMoved, N: n - right},
		}}}}
	name := fmt.Sprintf("%d choices, %d right", n, right)
	return told{name: name, protocol: "multi-option", report: rep, right: percent(right, n)}
}

// judgmentsTold are n answers, every other one right, of which so many right and wrong ones are called Correct.
func judgmentsTold(n, hits, alarms int) told {
	right := (n + 1) / 2
	const mode = selfreference.ModeCoT
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.Decided: n}, Results: []scoring.Result{
		share(selfreference.Accuracy, mode, hits+n-right-alarms, n), share(selfreference.Recall, mode, hits, right),
		share(selfreference.Precision, mode, hits, hits+alarms)}}
	return told{name: fmt.Sprintf("%d answers judged, %d of %d right ones and %d wrong ones called Correct", n, hits, right, alarms),
		protocol: "self-reference", report: rep, calls: percent(hits+alarms, n)}
}

// silent are judgments without a verdict, of an outcome.
func silentTold(protocol string, outcome judging.Outcome, lost, n int) told {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.Decided: n - lost, string(outcome): lost}}
	return told{name: fmt.Sprintf("%d of %d %s", lost, n, outcome), protocol: protocol, report: rep}
}

// tellings are runs of every protocol, small and large, right and wrong, at their end and on the way.
func tellings() (list []told) {
	for _, n := range []int{1, 2, 5, 20, 350} {
		for _, alike := range slices.Compact([]int{0, n / 2, n * 9 / 10, n}) {
			for _, right := range slices.Compact([]int{0, alike / 2, alike * 3 / 5, alike * 86 / 100, alike}) {
				list = append(list, pairsTold("pairwise", n, alike, right, true), pairsTold("reversed", n, alike, right, true),
					pairsTold("pairwise", n, alike, right, false))
			}
		}
		for _, right := range slices.Compact([]int{0, n / 2, n * 3 / 5, n}) {
			list = append(list, answersTold(n, right, true), answersTold(n, right, false), choicesTold(n, right))
		}
		right := (n + 1) / 2
		list = append(list, judgmentsTold(n, 0, 0), judgmentsTold(n, right/2, (n-right)/2),
			judgmentsTold(n, right, 0), judgmentsTold(n, right, n-right))
	}
	for _, t := range slices.Clone(list) { // on the way: values without intervals
		t.name += ", on the way"
		t.report.Expected = 2*t.report.Items + 1
		t.report.Results = slices.Clone(t.report.Results)
		for i := range t.report.Results {
			r := &t.report.Results[i]
			r.Low, r.High, r.Interval = nil, nil, ""
		}
		list = append(list, t)
	}
	outcomes := []judging.Outcome{
		judging.NoVerdict, judging.Conflict, judging.Cut, judging.TooLong, judging.Refused, judging.Failed}
	for _, protocol := range []string{"pairwise", "reversed", "answer", "self-reference", "multi-option"} {
		for _, outcome := range outcomes {
			for _, lost := range []int{25, 40} {
				t := silentTold(protocol, outcome, lost, 40)
				list = append(list, t)
				t.imported = true
				t.name += ", imported"
				list = append(list, t)
			}
		}
	}
	return list
}

// diagnosis is what is said.
func (x told) diagnosis() *scoring.Diagnosis {
	m := judging.NewManifest("test", judging.Spec{Protocol: x.protocol})
	if x.imported {
		m.Imported = "file.json"
	}
	x.report.Diagnose(m)
	return x.report.Diagnosis
}

var only = regexp.MustCompile(`only (\d+) %`)

// contradicted says which rule a sentence breaks; "" for none.
func (x told) contradicted(d *scoring.Diagnosis) string {
	says := func(text string) bool { return strings.Contains(d.Text, text) }
	pairs := x.protocol == "pairwise" || x.protocol == "reversed"
	verdicts := len(x.report.Results) > 0
	again := says("--constrain") || says("--max-tokens") || says("another prompt") || says("doctor")
	kept := scoring.Level("")
	for _, e := range d.Evidence {
		if e.Metric == "right-where-alike" && e.Low < 200.0/3 {
			kept = d.Level
		}
	}
	upTo := 0
	if m := only.FindStringSubmatch(d.Text); m != nil {
		upTo, _ = strconv.Atoi(m[1])
	}
	for rule, broken := range map[string]bool{
		"a 0 with a sign":                 says("-0 ") || says("-0]") || says("[-0,") || says("-0.00"),
		"a format that is not filled in":  says("%!"),
		"no end":                          !strings.HasSuffix(d.Text, ".") && !strings.HasSuffix(d.Text, "?"),
		"no verdicts where there are":     verdicts && (says("No pair") || says("No item") || says("Nothing") || says("No question")),
		"yet at the end":                  says(" yet") && x.report.Items == x.report.Expected,
		"only of much":                    upTo > 67,
		"no bias beside the numbers":      says("no position bias seen") && (x.first < 41 || x.first > 59),
		"always beside the numbers":       says("Always") && x.first != 0 && x.first != 100,
		"hardly any flips, and many do":   pairs && (says("hardly any") || says("one order is enough")) && x.alike < 98,
		"hardly any flips, and ask both":  says("hardly any") && says("both orders agree in"),
		"ask both orders and none flips":  pairs && x.alike == 100 && (says("ask both orders") || says("keep only")),
		"every answer beside the numbers": says("every answer Correct") && !says("nearly") && x.calls != 100,
		"one label in percentages":        (x.calls == 100 || x.calls == 0) && says("of wrong ones"),
		"the worse where it is asked for": x.protocol == "reversed" && says("the worse"),
		"usable, and too often wrong":     kept == scoring.Usable || kept == scoring.Strong,
		"none right, and some are":        (says("next to none") || says("whether it answers any")) && x.right > 10,
		"an import cannot be asked again": x.imported && again,
		"one of them are":                 strings.Contains(d.Text, " 1 pairs") || strings.Contains(d.Text, " 1 questions"),
		"several of them is":              regexp.MustCompile(`(Two|Three) \w+s in \w+ (is|flips)\b`).MatchString(d.Text),
		"more is known than numbers":      strings.HasSuffix(x.name, "on the way") && pairs && d.Level != scoring.Unknown,
	} {
		if broken {
			return rule
		}
	}
	return ""
}

// No sentence says other than the numbers beside it: of small and large runs, all right and all wrong, at their end and
// on the way, of every protocol. Each sentence stands once in the golden file, with the first run that it is of.
func TestNoSentenceContradictsItsNumbers(t *testing.T) {
	var all strings.Builder
	seen := map[string]bool{}
	for _, x := range tellings() {
		d := x.diagnosis()
		if rule := x.contradicted(d); rule != "" {
			t.Errorf("%s of %s: %s: %s: %s", x.name, x.protocol, rule, d.Level, d.Text)
		}
		form := strings.ReplaceAll(string(d.Level)+d.Text, "judgment", "answer")
		form = regexp.MustCompile(`\d+`).ReplaceAllString(form, "0")
		if !seen[form] {
			seen[form] = true
			fmt.Fprintf(&all, "%s: %s\n  %s (%s): %s\n", x.protocol, x.name, d.Level, d.Code,
				strings.TrimSpace(d.Text+" "+d.Also))
		}
	}
	golden.Assert(t, all.String(), "sentences.txt")
}
