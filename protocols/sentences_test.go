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

// testReport holds a report with a diagnosis, and its numbers.
type testReport struct {
	name     string
	protocol string
	imported bool
	report   scoring.Report

	alike float64 // of pairs: percent judged alike in both orders
	right float64 // percent of what is judged, of pairs of those judged alike
	first float64 // of pairs: percent of verdicts that name the first
	calls float64 // of self-reference: percent of answers called Correct
}

// share returns the result of k of n, as scores have it.
func share(metric, mode string, k, n int) scoring.Result {
	r := scoring.Result{Metric: metric, Group: scoring.Overall, Mode: mode, N: n, IntervalMethod: scoring.IntervalByBlaker}
	if n > 0 {
		iv := stats.Blaker(k, n, 0.95)
		r.Value, r.Low, r.High = scoring.Percent(float64(k)/float64(n)), scoring.Percent(iv.Low), scoring.Percent(iv.High)
	}
	return r
}

func percent(k, n int) float64 { return 100 * float64(k) / float64(max(1, n)) }

// pairsReport returns a report on n pairs, of which so many are consistent, and so many of these right. The other
// verdicts follow the position: the first, or the first and the second in turn.
func pairsReport(protocol string, n, alike, right int, turns bool) testReport {
	first := alike + 2*(n-alike)
	if turns {
		first = alike + 2*((n-alike+1)/2)
	}
	rep := scoring.Report{Items: n, Expected: n, Goal: "better", Outcomes: map[string]int{scoring.OutcomeDecided: 2 * n}}
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
	preferred := *pull.Value
	if protocol == "reversed" {
		preferred = 100 - preferred
	}
	return testReport{name: fmt.Sprintf("%d pairs, %d alike, %d right, turns %t", n, alike, right, turns), protocol: protocol,
		report: rep, alike: percent(alike, n), right: percent(right, alike), first: preferred}
}

// answersReport returns a report on n questions of four options, or numbers, so many answered right.
func answersReport(n, right int, options bool) testReport {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.OutcomeDecided: n},
		Results: []scoring.Result{share(scoring.GenerationAccuracy, "", right, n)}}
	if options {
		rep.Results = append(rep.Results, scoring.Result{Metric: answer.Chance, Group: scoring.Overall, Value: new(25.0), N: n})
	}
	name := fmt.Sprintf("%d answers, %d right, options %t", n, right, options)
	return testReport{name: name, protocol: "answer", report: rep, right: percent(right, n)}
}

// choicesReport returns a report on n items of two options, so many choices right.
func choicesReport(n, right int) testReport {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.OutcomeDecided: 2 * n}, Results: []scoring.Result{
		share("accuracy", "", right, n), {Metric: "accuracy-random", Group: scoring.Overall, Value: new(50.0), N: n},
		share("same-choice", "", right, n), share("right-every-order", "", right, n)},
		Breakdowns: []scoring.Breakdown{{Group: scoring.Overall, N: n, Parts: []scoring.OutcomePart{
			{Name: multioption.OutcomeRight, N: right}, {Name: multioption.OutcomeInconsistent, N: n - right},
		}}}}
	name := fmt.Sprintf("%d choices, %d right", n, right)
	return testReport{name: name, protocol: "multi-option", report: rep, right: percent(right, n)}
}

// judgmentsReport returns a report on n judged answers, every other one right, of which hits right ones and alarms
// wrong ones are called Correct.
func judgmentsReport(n, hits, alarms int) testReport {
	right := (n + 1) / 2
	const mode = selfreference.ModeCoT
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.OutcomeDecided: n}, Results: []scoring.Result{
		share(selfreference.Accuracy, mode, hits+n-right-alarms, n), share(selfreference.Recall, mode, hits, right),
		share(selfreference.Precision, mode, hits, hits+alarms)}}
	return testReport{name: fmt.Sprintf("%d answers judged, %d of %d right ones and %d wrong ones called Correct", n, hits, right, alarms),
		protocol: "self-reference", report: rep, calls: percent(hits+alarms, n)}
}

// silentReport returns a report on judgments without a verdict, with an outcome.
func silentReport(protocol string, outcome judging.Outcome, lost, n int) testReport {
	rep := scoring.Report{Items: n, Expected: n, Outcomes: map[string]int{scoring.OutcomeDecided: n - lost, string(outcome): lost}}
	return testReport{name: fmt.Sprintf("%d of %d %s", lost, n, outcome), protocol: protocol, report: rep}
}

// testReports returns runs of every protocol, small and large, right and wrong, complete and in progress.
func testReports() (list []testReport) {
	for _, n := range []int{1, 2, 5, 20, 350} {
		for _, alike := range slices.Compact([]int{0, n / 2, n * 9 / 10, n}) {
			for _, right := range slices.Compact([]int{0, alike / 2, alike * 3 / 5, alike * 86 / 100, alike}) {
				list = append(list, pairsReport("pairwise", n, alike, right, true), pairsReport("reversed", n, alike, right, true),
					pairsReport("pairwise", n, alike, right, false))
			}
		}
		for _, right := range slices.Compact([]int{0, n / 2, n * 3 / 5, n}) {
			list = append(list, answersReport(n, right, true), answersReport(n, right, false), choicesReport(n, right))
		}
		right := (n + 1) / 2
		list = append(list, judgmentsReport(n, 0, 0), judgmentsReport(n, right/2, (n-right)/2),
			judgmentsReport(n, right, 0), judgmentsReport(n, right, n-right))
	}
	for _, t := range slices.Clone(list) { // on the way: values without intervals
		t.name += ", on the way"
		t.report.Expected = 2*t.report.Items + 1
		t.report.Results = slices.Clone(t.report.Results)
		for i := range t.report.Results {
			r := &t.report.Results[i]
			r.Low, r.High, r.IntervalMethod = nil, nil, ""
		}
		list = append(list, t)
	}
	outcomes := []judging.Outcome{
		judging.NoVerdict, judging.Conflict, judging.Truncated, judging.PromptTooLong, judging.Refused, judging.Failed}
	for _, protocol := range []string{"pairwise", "reversed", "answer", "self-reference", "multi-option"} {
		for _, outcome := range outcomes {
			for _, lost := range []int{25, 40} {
				t := silentReport(protocol, outcome, lost, 40)
				list = append(list, t)
				t.imported = true
				t.name += ", imported"
				list = append(list, t)
			}
		}
	}
	return list
}

// diagnosis returns the diagnosis of the report.
func (x testReport) diagnosis() *scoring.Diagnosis {
	m := judging.NewManifest("test", judging.Spec{Protocol: x.protocol})
	if x.imported {
		m.Imported = "file.json"
	}
	x.report.AddDiagnosis(m)
	return x.report.Diagnosis
}

var only = regexp.MustCompile(`only (\d+) %`)

// brokenRule returns the rule that a sentence breaks; "" for none.
func (x testReport) brokenRule(d *scoring.Diagnosis) string {
	contains := func(text string) bool { return strings.Contains(d.Text, text) }
	pairs := x.protocol == "pairwise" || x.protocol == "reversed"
	verdicts := len(x.report.Results) > 0
	advice := contains("--constrain") || contains("--max-tokens") || contains("another prompt") || contains("doctor")
	level := scoring.UsabilityLevel("")
	for _, e := range d.Evidence {
		if e.Metric == "right-where-alike" && e.Low < 200.0/3 {
			level = d.Level
		}
	}
	upTo := 0
	if m := only.FindStringSubmatch(d.Text); m != nil {
		upTo, _ = strconv.Atoi(m[1])
	}
	for rule, broken := range map[string]bool{
		"a 0 with a sign":                 contains("-0 ") || contains("-0]") || contains("[-0,") || contains("-0.00"),
		"a format that is not filled in":  contains("%!"),
		"no end":                          !strings.HasSuffix(d.Text, ".") && !strings.HasSuffix(d.Text, "?"),
		"no verdicts where there are":     verdicts && (contains("No pair") || contains("No item") || contains("Nothing") || contains("No question")),
		"yet at the end":                  contains(" yet") && x.report.Items == x.report.Expected,
		"only of much":                    upTo > 67,
		"no bias beside the numbers":      contains("no position bias seen") && (x.first < 41 || x.first > 59),
		"always beside the numbers":       contains("Always") && x.first != 0 && x.first != 100,
		"hardly any flips, and many do":   pairs && (contains("hardly any") || contains("one order is enough")) && x.alike < 98,
		"hardly any flips, and ask both":  contains("hardly any") && contains("both orders agree in"),
		"ask both orders and none flips":  pairs && x.alike == 100 && (contains("ask both orders") || contains("keep only")),
		"every answer beside the numbers": contains("every answer Correct") && !contains("nearly") && x.calls != 100,
		"one label in percentages":        (x.calls == 100 || x.calls == 0) && contains("of wrong ones"),
		"the worse where it is asked for": x.protocol == "reversed" && contains("the worse"),
		"usable, and too often wrong":     level == scoring.LevelUsable || level == scoring.LevelStrong,
		"none right, and some are":        (contains("next to none") || contains("whether it answers any")) && x.right > 10,
		"an import cannot be asked again": x.imported && advice,
		"one of them are":                 strings.Contains(d.Text, " 1 pairs") || strings.Contains(d.Text, " 1 questions"),
		"several of them is":              regexp.MustCompile(`(Two|Three) \w+s in \w+ (is|flips)\b`).MatchString(d.Text),
		"more is known than numbers":      strings.HasSuffix(x.name, "on the way") && pairs && d.Level != scoring.LevelUnknown,
	} {
		if broken {
			return rule
		}
	}
	return ""
}

// No sentence contradicts the numbers beside it, in small and large runs, all right and all wrong, complete and in
// progress, of every protocol. The golden file has each sentence once, with the first run that it describes.
func TestNoSentenceContradictsItsNumbers(t *testing.T) {
	var all strings.Builder
	forms := map[string]bool{}
	for _, x := range testReports() {
		d := x.diagnosis()
		if rule := x.brokenRule(d); rule != "" {
			t.Errorf("%s of %s: %s: %s: %s", x.name, x.protocol, rule, d.Level, d.Text)
		}
		form := strings.ReplaceAll(string(d.Level)+d.Text, "judgment", "answer")
		form = regexp.MustCompile(`\d+`).ReplaceAllString(form, "0")
		if !forms[form] {
			forms[form] = true
			fmt.Fprintf(&all, "%s: %s\n  %s (%s): %s\n", x.protocol, x.name, d.Level, d.Code,
				strings.TrimSpace(d.Text+" "+d.Also))
		}
	}
	golden.Assert(t, all.String(), "sentences.txt")
}
