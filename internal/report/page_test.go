package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/doc"
	"gavel/internal/report"
	_ "gavel/protocols"
	"gavel/protocols/answer"
	"gavel/protocols/multioption"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// pairRuns are two runs of pairs, one with label probabilities.
func pairRuns() []report.Run {
	runs := twoRuns().Runs
	runs[0].Calibration = &scoring.Calibration{N: 90, Bins: []scoring.Bin{{From: 0.4, To: 0.5}, {From: 0.5, To: 0.6, N: 10, Confidence: of(0.55), Accuracy: of(0.4)}, {From: 0.9, To: 1, N: 80, Confidence: of(0.97), Accuracy: of(0.8125)}}}
	return []report.Run{
		{Report: runs[0], Metadata: []scoring.Metadatum{{Name: "model", Value: "qwen3:8b"}, {Name: "quantisation", Value: "Q4_K_M"}, {Name: "made by", Value: "gavel 0.1.0"}}},
		{Report: runs[1], Metadata: []scoring.Metadatum{{Name: "model", Value: "sim:silent"}, {Name: "made by", Value: "gavel 0.1.0"}}},
	}
}

func result(metric, group, mode, unit string, v, d float64, n int) scoring.Result {
	x := scoring.Result{Metric: metric, Group: group, Mode: mode, Unit: unit, N: n, Value: of(v)}
	if d > 0 {
		x.Low, x.High = of(v-d), of(v+d)
	}
	return x
}

// judgeRun is a run of self-reference: accuracy of its own answers, F1 and r of
// both modes.
func judgeRun(model, size, dataset string, own, cot, self, rCot, rSelf float64) report.Run {
	r := scoring.Report{
		Run: "runs/" + model, ID: model, Protocol: "self-reference", Goal: "correct", RunSetup: scoring.RunSetup{Prompt: "paper", Model: model, Dataset: dataset}, Items: 300, Expected: 300,
		Outcomes: map[string]int{"decided": 590, "no-verdict": 10}, ScoringMethod: scoring.ScoringMethod{LabelPolicy: "unique", Missing: "wrong", Bootstrap: scoring.BootstrapInfo{Rounds: 1000, Level: 0.95, Seed: 1, Unit: "question"}},
	}
	for i, g := range []string{scoring.Overall, "math", selfreference.AgentGroup("llama3.1:8b")} {
		shift := float64(5 * i)
		r.Results = append(r.Results, result(scoring.GenerationAccuracy, g, "", "", own-shift, 4, 100), result(selfreference.AgentAccuracy, g, "", "", 50, 3, 300))
		for _, m := range []struct {
			mode  string
			f1, r float64
		}{{selfreference.ModeCoT, cot, rCot}, {selfreference.ModeSelf, self, rSelf}} {
			r.Results = append(r.Results,
				result(selfreference.F1, g, m.mode, "", m.f1-shift, 3, 300), result(selfreference.PartialGJ, g, m.mode, scoring.UnitCorrelation, m.r, 0.1, 300),
				result(selfreference.BothRightAccuracy, g, m.mode, "", 96-shift, 2, 90), result(selfreference.OnlyOwnRightAccuracy, g, m.mode, "", 41.5, 9, 40),
				result(selfreference.OnlyAgentRightAccuracy, g, m.mode, "", 84, 5, 60), result(selfreference.BothWrongAccuracy, g, m.mode, "", 23.25, 6, 110))
		}
	}
	return report.Run{Report: r, Metadata: []scoring.Metadatum{{Name: "model", Value: model}, {Name: "parameters", Value: size}}}
}

// judges are five of one dataset, one of another that has no answers of its own.
func judges() []report.Run {
	runs := []report.Run{
		judgeRun("llama3.1:8b", "8.0B", "mmlu-pro", 41.5, 66.2, 60.1, 0.21, 0.62),
		judgeRun("llama3.1:70b", "70.6B", "mmlu-pro", 61.2, 72.4, 76.9, 0.25, 0.7),
		judgeRun("qwen2.5:7b", "7.6B", "mmlu-pro", 52.3, 70.1, 69.4, 0.31, 0.66),
		judgeRun("qwen2.5:0.5b", "494.03M", "mmlu-pro", 14.9, 52, 31.2, 0.05, 0.4),
		judgeRun("gemma2:9b", "9.2B", "mmlu-pro", 48.1, 69.9, 67.7, -0.04, 0.58),
		judgeRun("gemma2:9b", "9.2B", "gsm8k", 80, 85, 88, 0.4, 0.8),
	}
	last := runs[5].Results
	for i := range last {
		if last[i].Metric == scoring.GenerationAccuracy {
			last[i] = scoring.Result{Metric: scoring.GenerationAccuracy, Group: last[i].Group, Note: "undefined: the judge has no answers of its own"}
		}
	}
	return runs
}

// optionRun is a run of several options.
func optionRun(model, prompt string, unrelated bool, grade, llm, choice float64) report.Run {
	r := scoring.Report{
		Run: "runs/" + model + prompt, ID: model, Protocol: "multi-option", Goal: "best", RunSetup: scoring.RunSetup{Prompt: prompt, Model: model, Dataset: "oasst1"}, Items: 60, Expected: 60,
		Outcomes: map[string]int{"decided": 240}, ScoringMethod: scoring.ScoringMethod{LabelPolicy: "unique", Bootstrap: scoring.BootstrapInfo{Rounds: 1000, Level: 0.95, Seed: 1, Unit: "item"}},
	}
	more := 0
	if unrelated {
		r.Settings, more = "unrelated true", 1
		r.Results = append(r.Results, result(multioption.UnrelatedRate, scoring.Overall, "", "", 1.5, 1, 240))
	}
	for _, m := range []struct {
		name  string
		value float64
	}{{multioption.GradeScore, grade}, {multioption.LLMScore, llm}, {multioption.ChoiceScore, choice}} {
		r.Results = append(r.Results, result(m.name, scoring.Overall, "", scoring.UnitScore, m.value, 0.03, 60))
	}
	r.Results = append(r.Results, result(multioption.LLMScore+multioption.RandomJudgeSuffix, scoring.Overall, "", scoring.UnitScore, 0.55, 0, 60), result(multioption.ChoiceScore+multioption.RandomJudgeSuffix, scoring.Overall, "", scoring.UnitScore, 0.58, 0, 60),
		result(multioption.LLMScore+multioption.AlwaysFirstSuffix, scoring.Overall, "", scoring.UnitScore, 0, 0, 60), result(multioption.ChoiceScore+multioption.AlwaysFirstSuffix, scoring.Overall, "", scoring.UnitScore, 0.31, 0, 60))
	for n := 2; n <= 4; n++ {
		for place := 1; place <= n+more; place++ {
			r.Results = append(r.Results, result(fmt.Sprintf("%s%d", multioption.PositionMetricPrefix, place), fmt.Sprintf("%d options", n), "", "", 100/float64(n+more)+float64(8-4*place), 0, 20*n))
		}
	}
	return report.Run{Report: r}
}

func choosers() []report.Run {
	var runs []report.Run
	for i, prompt := range []string{"1", "2", "3", "4"} {
		shift := 0.05 * float64(i)
		runs = append(runs, optionRun("llama3:8b", prompt, false, 0.62+shift, 0.6047+shift, 0.719+shift), optionRun("llama3:8b", prompt, true, 0.752-shift, 0.757-shift, 0.7531-shift))
	}
	return runs
}

func answerRun(model string, chance bool) report.Run {
	r := scoring.Report{
		Run: "runs/" + model, ID: model, Protocol: "answer", RunSetup: scoring.RunSetup{Prompt: "paper", Model: model, Dataset: "mmlu-pro"}, Items: 200, Expected: 200,
		Outcomes: map[string]int{"decided": 190, "no-verdict": 10}, ScoringMethod: scoring.ScoringMethod{Bootstrap: scoring.BootstrapInfo{Rounds: 1000, Level: 0.95, Seed: 1, Unit: "question"}},
	}
	for i, g := range []string{scoring.Overall, "biology", "law"} {
		r.Results = append(r.Results, result(scoring.GenerationAccuracy, g, "", "", 60-float64(10*i), 6, 200/(i+1)), result(answer.NoAnswerShare, g, "", "", 5, 2, 200))
		if chance {
			r.Results = append(r.Results, result(answer.Chance, g, "", "", 11.25, 0, 200))
		}
	}
	return report.Run{Report: r}
}

// kinds are runs of every protocol.
func kinds() map[string][]report.Run {
	return map[string][]report.Run{
		"pairs": pairRuns(), "self-reference": judges(), "options": choosers(), "answers": {answerRun("qwen3:8b", true), answerRun("gsm", false)},
	}
}

// hostile is a name as bad as a name can be.
const hostile = "</text></svg><script>alert(1)</script>\x1b[31m\x00\u202e\uFFFE\xff model"

func writeHTML(t *testing.T, runs []report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := (report.RunsReport{Runs: runs}).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var drawing = regexp.MustCompile(`(?s)(<svg [^>]*>).*?</svg>`)
var sheet = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

// Pages without what golden files of their own show: style sheet and drawings.
func TestPages(t *testing.T) {
	for name, runs := range kinds() {
		t.Run(name, func(t *testing.T) {
			p := writeHTML(t, runs)
			plain := sheet.ReplaceAllString(drawing.ReplaceAllString(p, "$1…</svg>"), "<style>…</style>")
			plain = regexp.MustCompile(`"data:[^"]*"`).ReplaceAllString(plain, `"data:…"`)
			plain = regexp.MustCompile(`sha256-.*?=&#39;`).ReplaceAllString(plain, "sha256-…&#39;") // see TestPolicy
			golden.Assert(t, plain, "pages/"+name+".html")
			for _, svg := range drawing.FindAllString(p, -1) {
				if err := xml.Unmarshal([]byte(svg), new(any)); err != nil {
					t.Errorf("a picture is not well-formed: %v", err)
				}
			}
			if again := writeHTML(t, kinds()[name]); again != p {
				t.Error("the same runs gave other bytes")
			}
		})
	}
}

// Every number of a run stands on its page.
func TestPagesHaveEveryTable(t *testing.T) {
	for name, runs := range kinds() {
		page := html.UnescapeString(writeHTML(t, runs))
		for _, r := range runs {
			blocks := slices.DeleteFunc(report.NewRunPage(r).Blocks(), func(b doc.Block) bool { return b.ID != "every" })
			laid := doc.Document{Blocks: blocks}.Tables(doc.SurfacePage)[0]
			for _, line := range append(slices.Concat(laid.Rows...), laid.Notes...) {
				if !strings.Contains(page, strings.TrimPrefix(line, "! ")) {
					t.Errorf("%s: nowhere %q", name, line)
				}
			}
		}
	}
}

// The policy allows the page's own style sheet, and nothing else.
func TestPolicy(t *testing.T) {
	p := writeHTML(t, pairRuns())
	style := sheet.FindStringSubmatch(p)
	if style == nil || style[1] != report.StyleSheet {
		t.Fatal("the style sheet is not as it was written")
	}
	sum := sha256.Sum256([]byte(style[1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if got := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(p); got == nil || html.UnescapeString(got[1]) != want {
		t.Errorf("policy %q, want %q", got, want)
	}
	if !strings.Contains(p[:1024], report.Generator) {
		t.Error("it does not say at its beginning what it was made by")
	}
	for _, word := range []string{"style=", "<script", "<link", "<img", "src=", "url(", "@import", "@font-face", " on"} {
		for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(p, -1) {
			if strings.Contains(tag, word) && !strings.Contains(tag, "http-equiv") && !strings.Contains(tag, "aria-label") {
				t.Errorf("%q in %s", word, tag)
			}
		}
	}
	for _, word := range []string{"url(", "@import", "@font-face"} {
		if strings.Contains(report.StyleSheet, word) {
			t.Errorf("the style sheet has %q", word)
		}
	}
}

// Whatever models, datasets, categories and notes are called, they stay words.
func TestHostileNames(t *testing.T) {
	for name, runs := range kinds() {
		for i := range runs {
			r := &runs[i]
			r.Model, r.Dataset, r.Prompt, r.Run, r.Settings = hostile, hostile, hostile+fmt.Sprint(i), hostile, hostile
			r.Warnings = append(r.Warnings, hostile)
			r.Metadata = append(r.Metadata, scoring.Metadatum{Name: hostile, Value: hostile}, scoring.Metadatum{Name: `"onmouseover="x`, Value: fmt.Sprint(i)})
			for k := range r.Results {
				r.Results[k].Note = hostile
				if r.Results[k].Group == "math" || r.Results[k].Group == "Math" || r.Results[k].Group == "law" {
					r.Results[k].Group = hostile
				}
			}
		}
		p := writeHTML(t, runs)
		if strings.Contains(p, "<script") || strings.Contains(p, `"onmouseover="`) || strings.Contains(p, `="x`) {
			t.Errorf("%s: a name became an element", name)
		}
		for _, r := range p {
			if r == 0x1b || r == 0 || r == 0x202e {
				t.Errorf("%s: character %U", name, r)
			}
		}
		if a, b := strings.Count(p, "<svg "), strings.Count(p, "</svg>"); a != b || a == 0 {
			t.Errorf("%s: %d pictures begin and %d end", name, a, b)
		}
		if ids := regexp.MustCompile(` id="([^"]*)"`).FindAllString(p, -1); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
			t.Errorf("%s: ids twice: %q", name, ids)
		}
	}
}

// Every tag that opens closes, in the order of their nesting.
func TestNesting(t *testing.T) {
	tag := regexp.MustCompile(`<(/?)([a-z][a-z0-9]*)[^>]*>`)
	for name, runs := range kinds() {
		var open []string
		for _, m := range tag.FindAllStringSubmatch(sheet.ReplaceAllString(writeHTML(t, runs), ""), -1) {
			switch {
			case m[2] == "meta" || m[2] == "br" || m[2] == "wbr" || strings.HasSuffix(m[0], "/>"):
			case m[1] == "":
				open = append(open, m[2])
			case len(open) == 0 || open[len(open)-1] != m[2]:
				t.Fatalf("%s: </%s> while %v are open", name, m[2], open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: %v do not end", name, open)
		}
	}
}

func TestPageOfNothing(t *testing.T) {
	if p := writeHTML(t, nil); !strings.Contains(p, "0 runs") || strings.Contains(p, `<svg class="chart"`) {
		t.Errorf("no runs: %s", p)
	}
}

// A run that was never answered has tables, and no picture to draw.
func TestRunWithoutNumbers(t *testing.T) {
	silent := pairRuns()[1]
	for i := range silent.Results {
		silent.Results[i] = scoring.Result{Metric: silent.Results[i].Metric, Group: scoring.Overall, Note: "undefined: nothing"}
	}
	if p := writeHTML(t, []report.Run{silent}); strings.Contains(p, `<svg class="plot"`) || !strings.Contains(p, "–") {
		t.Error("a picture of no number")
	}
}

// Runs of all protocols stand on one page, each with its own part, and with a drawing of how sure it is where the
// server told.
func TestAllProtocolsTogether(t *testing.T) {
	var all []report.Run
	sure := 0
	for _, name := range []string{"answers", "pairs", "options", "self-reference"} {
		all = append(all, kinds()[name]...)
	}
	p := writeHTML(t, all)
	for i, r := range all {
		if strings.Count(p, fmt.Sprintf(` id="run-%d-page"`, i+1)) != 1 {
			t.Errorf("run %d does not stand there once", i+1)
		}
		if r.Calibration != nil {
			sure++
		}
	}
	if n := strings.Count(p, `-sureness"`); n != sure || sure == 0 {
		t.Errorf("%d drawings of how sure a judge is, %d runs tell", n, sure)
	}
}
