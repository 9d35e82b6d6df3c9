package pointwise_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	_ "gavel/protocols"
	"gavel/protocols/imports"
	"gavel/protocols/pointwise"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// rounded is the largest error of a value in a report, which has four decimals.
const rounded = 0.51e-4

var quick = stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1}

// item holds one row of a table: the group, the labelled response, and what the judge says of each response.
type item struct {
	id, group, gold string
	replies         []string
}

// runOf returns a run of pointwise over items. Responses are named A, B, C.
func runOf(t *testing.T, labels string, items ...item) *scoring.Run {
	t.Helper()
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pointwise", Goal: "good", Model: judging.ModelSpec{Name: "judge"},
		Prompt:  judging.Template{Name: "direct", Labels: strings.Fields(labels)},
		Dataset: judging.DatasetSpec{Items: len(items)}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for _, x := range items {
		for k, reply := range x.replies {
			order := []string{string(rune('A' + k))}
			for other := range x.replies {
				if other != k {
					order = append(order, string(rune('A'+other)))
				}
			}
			assert.NilError(t, load.Add(&judging.Record{
				Schema: 1, Item: x.id, Group: x.group, Gold: x.gold, Presentation: k, Presentations: len(x.replies), Order: order,
				Outcome: judging.Decided, Replies: []judging.Reply{{Text: reply, Finish: backends.FinishStop}},
			}))
		}
	}
	run := load.Run()
	run.Dir = "scored"
	return run
}

const oneToTen = "1 2 3 4 5 6 7 8 9 10"

// want compares a result with what was worked by hand; a value of -1 is undefined.
func want(t *testing.T, rep scoring.Report, metric, group string, value float64, n int) {
	t.Helper()
	r := rep.Result(metric, group, "")
	if value < 0 && r.Value == nil {
		return
	}
	if r.Value == nil || math.Abs(*r.Value-value) > rounded || r.N != n {
		t.Errorf("%s of %s: %+v, want %v of %d", metric, group, r, value, n)
	}
}

// Computed by hand. Of five pairs with a label, the better response scores higher in p1 and p5, the same in p2, lower
// in p3, and has no rival's score in p4, which counts half. 20 pairs of a better and another response, of which 13 are
// in the right order and one is equal.
func TestPairsByHand(t *testing.T) {
	rep := runOf(t, oneToTen,
		item{"p1", "Math", "A", []string{"[[8]]", "[[5]]"}},
		item{"p2", "Math", "A", []string{"[[7]]", "Score: 7/10"}},
		item{"p3", "Math", "B", []string{"[[9]]", "[[6]]"}},
		item{"p4", "Coding", "A", []string{"[[8]]", "I cannot say."}},
		item{"p5", "Coding", "A", []string{"[[8]]", "[[3]]"}},
		item{"p6", "Coding", "", []string{"[[8]]", "[[7]]"}},
	).Score(quick)
	want(t, rep, "half-tie", scoring.Overall, 60, 5)
	want(t, rep, "half-tie", "Math", 50, 3)
	want(t, rep, "half-tie", "Coding", 75, 2)
	want(t, rep, "equal-scores", scoring.Overall, 20, 5)
	want(t, rep, "equal-scores", "Math", 100./3, 3)
	want(t, rep, "right-where-alike", scoring.Overall, 200./3, 3)
	want(t, rep, "coverage", scoring.Overall, 60, 5)
	want(t, rep, "score-auroc", scoring.Overall, 13.5/20, 9)
	want(t, rep, "most-used", scoring.Overall, 400./11, 11)
	want(t, rep, "levels", scoring.Overall, 6, 11)
	want(t, rep, "score:8", scoring.Overall, 4, 11)
	want(t, rep, "better-score:8", scoring.Overall, 3, 5)
	want(t, rep, "other-score:7", scoring.Overall, 1, 4)
	uses := -(4*math.Log2(4./11) + 3*math.Log2(3./11) + 4*math.Log2(1./11)) / 11
	want(t, rep, "scale-entropy", scoring.Overall, uses/math.Log2(10), 11)
	parts := map[string]int{}
	for _, p := range rep.Breakdowns[0].Parts {
		parts[p.Name] = p.N
	}
	assert.DeepEqual(t, parts, map[string]int{
		"right": 2, "tie": 1, "wrong": 1, "missing": 1,
	})
	assert.Equal(t, rep.Unlabelled, 1)
	for _, metric := range []string{"half-tie", "equal-scores", "right-where-alike", "coverage", "score-auroc"} {
		r := rep.Result(metric, scoring.Overall, "")
		if r.Low == nil || r.High == nil || *r.Low >= *r.Value || *r.High <= *r.Value || r.MissingRule == "" {
			t.Errorf("%s has no interval around its value: %+v", metric, r)
		}
	}
}

// Computed by hand. Of the others of i1 one is lower and one equal: 3/4; of i2 one is higher and one missing: 1/4.
func TestOptionsByHand(t *testing.T) {
	rep := runOf(t, oneToTen,
		item{"i1", "", "A", []string{"[[7]]", "[[7]]", "[[4]]"}},
		item{"i2", "", "A", []string{"[[3]]", "[[5]]", "[[11]]"}},
	).Score(quick)
	want(t, rep, "half-tie", scoring.Overall, 50, 2)
	want(t, rep, "equal-scores", scoring.Overall, 25, 4)
	want(t, rep, "right-where-alike", scoring.Overall, 50, 2)
	want(t, rep, "coverage", scoring.Overall, 50, 4)
	want(t, rep, "levels", scoring.Overall, 4, 5)
}

// Many different scores of a long scale are counted in tens, few one by one.
func TestManyScoresAreCountedInTens(t *testing.T) {
	scale := "0"
	for n := range 100 {
		scale += fmt.Sprint(" ", n+1)
	}
	var narrow, spread []item
	for n := range 20 {
		spread = append(spread, item{fmt.Sprint(n), "", "A", []string{fmt.Sprintf("[[%d]]", 100-n), fmt.Sprintf("[[%d]]", 71+n)}})
		narrow = append(narrow, item{fmt.Sprint(n), "", "A", []string{"[[91]]", fmt.Sprintf("[[%d]]", 71+n%5)}})
	}
	rep := runOf(t, scale, spread...).Score(quick)
	want(t, rep, "score:70-79", scoring.Overall, 9, 40)
	want(t, rep, "score:80-89", scoring.Overall, 19, 40)
	want(t, rep, "better-score:90-99", scoring.Overall, 10, 20)
	want(t, rep, "other-score:90-99", scoring.Overall, 1, 20)
	want(t, rep, "score:100-100", scoring.Overall, 1, 40)
	want(t, rep, "levels", scoring.Overall, 30, 40)
	rep = runOf(t, scale, narrow...).Score(quick)
	want(t, rep, "score:91", scoring.Overall, 20, 40)
	want(t, rep, "score:75", scoring.Overall, 4, 40)
	assert.Equal(t, rep.Result("score:90-99", scoring.Overall, "").Metric, "")
}

// Nothing, one answer to all, no score at all, and no label: values are undefined or say so, and the report is printed.
func TestDegenerateRuns(t *testing.T) {
	for name, c := range map[string]struct {
		items   []item
		halfTie float64
		code    string
	}{
		"nothing":  {nil, -1, scoring.CodeNoItems},
		"all yes":  {[]item{{"a", "", "A", []string{"[[Yes]]", "[[Yes]]"}}, {"b", "", "B", []string{"[[Yes]]", "[[Yes]]"}}}, 50, scoring.CodeTooFewItems},
		"no score": {[]item{{"a", "", "A", []string{"", "hm"}}}, 50, scoring.CodeNoVerdicts},
		"equal":    {[]item{{"a", "", "A", []string{"[[Yes]]", "[[Yes]]"}}, {"b", "", "B", []string{"[[No]]", "[[No]]"}}}, 50, scoring.CodeTooFewItems},
		"no label": {[]item{{"a", "", "", []string{"[[Yes]]", "[[No]]"}}}, -1, scoring.CodeNoItems},
	} {
		rep := runOf(t, "No Yes", c.items...).Score(quick)
		want(t, rep, "half-tie", scoring.Overall, c.halfTie, len(c.items))
		if rep.Diagnosis == nil || rep.Diagnosis.Code != c.code || rep.Says == "" {
			t.Errorf("%s: %+v %q", name, rep.Diagnosis, rep.Says)
		}
		remark := map[string]string{
			"all yes": "Nearly all scores are alike: Yes is 100 % of them.", "equal": "It gives both responses the same score in 100 % of pairs.",
		}[name]
		assert.Equal(t, rep.Diagnosis.Also, remark)
	}
}

// Computed by hand. On eight pairs scoring is better by 1 on three and by ½ on one, and worse by ½ on one: 3 of 8. Of
// the 32 ways to exchange the runs on these five pairs, six give a difference of 3 or more.
func TestAgainstPairwise(t *testing.T) {
	var scored []item
	pairs := judging.NewManifest("test", judging.Spec{
		Protocol: "pairwise", Goal: "better", Model: judging.ModelSpec{Name: "judge"},
		Prompt:  judging.Template{Name: "sop", Labels: []string{"A>B", "B>A"}},
		Dataset: judging.DatasetSpec{Items: 8}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	load, err := scoring.NewLoader(pairs, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for i, x := range []struct{ scores, verdicts string }{
		{"8 5", "BB"}, {"8 5", "BB"}, {"8 5", "BB"}, {"8 5", "AB"}, {"6 6", "AA"}, {"9 2", "AA"}, {"2 9", "BB"}, {"5 5", "BA"},
	} {
		id := fmt.Sprint("p", i)
		a, b, _ := strings.Cut(x.scores, " ")
		scored = append(scored, item{id, "", "A", []string{"[[" + a + "]]", "[[" + b + "]]"}})
		for k, named := range x.verdicts {
			reply := "[[A>B]]"
			if (k == 1) == (named == 'A') {
				reply = "[[B>A]]"
			}
			assert.NilError(t, load.Add(&judging.Record{
				Schema: 1, Item: id, Gold: "A", Presentation: k, Presentations: 2, Order: [][]string{{"A", "B"}, {"B", "A"}}[k],
				Outcome: judging.Decided, Replies: []judging.Reply{{Text: reply, Finish: backends.FinishStop}},
			}))
		}
	}
	compared := load.Run()
	compared.Dir = "compared"
	byScore := runOf(t, oneToTen, scored...)
	all, err := scoring.Compare([]*scoring.Run{compared, byScore}, stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1})
	assert.NilError(t, err)
	back, err := scoring.Compare([]*scoring.Run{byScore, compared}, stats.Bootstrap{Rounds: 2000, Level: 0.95, Seed: 1})
	assert.NilError(t, err)
	differences := map[string]scoring.Difference{}
	for _, d := range all.Comparisons[0].Differences {
		if d.Group == scoring.Overall {
			differences[d.Metric] = d
		}
	}
	d := differences["half-tie"]
	a, b := compared.Score(quick).Result("half-tie", scoring.Overall, ""), byScore.Score(quick).Result("half-tie", scoring.Overall, "")
	if *d.A != 37.5 || *d.B != 75 || *d.BMinusA != 37.5 || d.N != 8 || *d.A != *a.Value || *d.B != *b.Value {
		t.Errorf("half-tie: %v and %v, %v of %d; the runs alone have %v and %v", *d.A, *d.B, *d.BMinusA, d.N, *a.Value, *b.Value)
	}
	if d.P == nil || math.Abs(float64(*d.P)-6./32) > 1e-9 {
		t.Errorf("p is %v, want 6/32", d.P)
	}
	for metric, want := range map[string][2]float64{"right-where-alike": {100. / 3, 250. / 3}, "coverage": {75, 75}} {
		if d := differences[metric]; d.A == nil || math.Abs(*d.A-want[0]) > rounded || math.Abs(*d.B-want[1]) > rounded {
			t.Errorf("%s: %+v, want %v", metric, d, want)
		}
	}
	for _, d := range back.Comparisons[0].Differences {
		if there := differences[d.Metric]; d.Group == scoring.Overall && (*d.BMinusA != -*there.BMinusA || *d.Low != -*there.High || *d.P != *there.P) {
			t.Errorf("%s the other way round: %+v, want the opposite of %+v", d.Metric, d, there)
		}
	}
	if len(differences) != 3 {
		t.Errorf("the two protocols share %d metrics: %v", len(differences), differences)
	}
}

// simulatedRun returns a simulated judge's run of n pairs.
func simulatedRun(t *testing.T, spec, scale string, seed, n int) *scoring.Run {
	t.Helper()
	judge, err := backends.NewSimulatedJudge(spec)
	assert.NilError(t, err)
	judge.Seed = uint64(seed)
	template, err := pointwise.Protocol.Template("direct")
	assert.NilError(t, err)
	template = pointwise.Protocol.AdaptTemplate(template, judging.Settings{"scale": scale})
	asker := pointwise.Protocol.NewAsker(template, nil)
	load, err := scoring.NewLoader(judging.NewManifest("test", judging.Spec{
		Protocol: "pointwise", Goal: "good", Prompt: template, Dataset: judging.DatasetSpec{Items: n},
		Parameters: judging.Parameters{MaxTokens: 4096},
	}), judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for i := range n {
		x := judgingtest.PairItem(strconv.Itoa(i), i%2)
		for _, s := range asker.Presentations(x) {
			r := &judging.Record{
				Item: x.ID, Gold: x.Candidates[x.Gold].ID, Presentation: s.Index, Presentations: 2,
				Order: []string{x.Candidates[s.Order[0]].ID, x.Candidates[s.Order[1]].ID}, Outcome: judging.Decided,
			}
			oracle := asker.Prompt(x, s).Oracle
			reply, err := judge.Ask(t.Context(), backends.Request{Oracle: &oracle})
			assert.NilError(t, err)
			label := reply.Text[strings.LastIndexByte(reply.Text, '[')+1:]
			read := scoring.VerdictReadings{Verdict: judging.Verdict{
				Outcome: judging.Decided, Answer: strings.TrimRight(label, "]"), Choice: judging.NoCandidate,
			}}
			assert.NilError(t, load.AddParsed(r, read))
		}
	}
	return load.Run()
}

// TestKindsAreNamed: at n = 350, at least 95 of 100 simulated judges of each kind get its diagnosis, and at most 5
// another one.
func TestKindsAreNamed(t *testing.T) {
	worlds := 20
	if trials.RunsSlowTests() {
		worlds = 200
	}
	for name, c := range map[string]struct {
		spec   string
		code   string // of the level; "" for any
		remark string // part of the remark; "" for none
		scale  string // "": 1-10
	}{
		"knows":           {spec: "accuracy=0.9,noise=0.1", code: scoring.CodeStrongJudge},
		"knows, is noisy": {spec: "accuracy=1,noise=0.6", code: scoring.CodeWeakJudge},
		"knows, drifts":   {spec: "accuracy=0.9,noise=0.1,shift=0.1,halo=0.1", code: scoring.CodeStrongJudge},
		"coin":            {spec: "coin", code: scoring.CodeChance, remark: "It uses only 2 of"},
		"noise alone":     {spec: "accuracy=0.5,noise=0.3", code: scoring.CodeChance},
		"all alike":       {spec: "accuracy=0.8,noise=0.2,compress=0.95", remark: "Nearly all scores are alike: 8 is "},
		"two levels":      {spec: "accuracy=0.9", code: scoring.CodeStrongJudge, remark: "It uses only 2 of the 10 levels of the scale."},
		"all the same":    {spec: "accuracy=0.8,compress=1", code: scoring.CodeChance, remark: "Nearly all scores are alike: 8 is 100 % of them."},
		"yes-leaning":     {spec: "accuracy=0.9,noise=0.3,shift=0.3", remark: "Yes-leaning: it says yes ", scale: "yes-no"},
		"leans a little":  {spec: "accuracy=0.8,noise=0.3,shift=0.1", remark: "Yes-leaning: it says yes ", scale: "yes-no"},
		"no-leaning":      {spec: "accuracy=0.9,noise=0.3,shift=0", scale: "yes-no"},
		"tosses a coin":   {spec: "coin", code: scoring.CodeChance, scale: "yes-no"},
		"yes or no":       {spec: "accuracy=0.9", code: scoring.CodeStrongJudge, scale: "yes-no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rightly := 0
			for seed := range worlds {
				d := simulatedRun(t, c.spec, cmp.Or(c.scale, "1-10"), seed+1, 350).Score(quick).Diagnosis
				isRemarked := strings.HasPrefix(d.Also, "Nearly all") || strings.HasPrefix(d.Also, "It uses only") ||
					strings.Contains(d.Also, "Yes-leaning")
				if (c.code == "" || d.Code == c.code) && strings.Contains(d.Also, c.remark) && isRemarked == (c.remark != "") {
					rightly++
				} else {
					t.Logf("seed %d: %s: %s %s", seed+1, d.Code, d.Text, d.Also)
				}
			}
			if 100*rightly < 95*worlds {
				t.Errorf("%d of %d are named", rightly, worlds)
			}
		})
	}
}

// TestHaloIsNamed: a judge that scores longer responses higher is called that in at least 95 of 100 runs of 350 pairs,
// and at most 5 without a halo are said to have a bias, in words for scores.
func TestHaloIsNamed(t *testing.T) {
	worlds := 20
	if trials.RunsSlowTests() {
		worlds = 200
	}
	for spec, c := range map[string]struct{ expected, refused string }{
		"accuracy=0.8,noise=0.2,halo=0.3":              {expected: "It scores the longer response higher (in "},
		"accuracy=0.6,noise=0.4,halo=0.3,compress=0.5": {expected: "It scores the longer response higher (in "},
		"accuracy=0.8,noise=0.2":                       {refused: "Biases:"},
		"accuracy=0.6,noise=0.1,shift=0.2":             {refused: "Biases:"},
		"coin":                                         {refused: "Biases:"},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			rightly := 0
			for seed := range worlds {
				judge, err := backends.NewSimulatedJudge(spec)
				assert.NilError(t, err)
				judge.Seed = uint64(seed + 1)
				rng := rand.New(rand.NewPCG(9, uint64(seed)))
				template, err := pointwise.Protocol.Template("direct")
				assert.NilError(t, err)
				asker := pointwise.Protocol.NewAsker(template, nil)
				scorer := pointwise.NewScorer(judging.NewManifest("test", judging.Spec{Protocol: "pointwise", Goal: "good", Prompt: template}))
				texts := map[string][]judging.Candidate{}
				for i := range 350 {
					x := judgingtest.PairItem(strconv.Itoa(i), i%2)
					for k := range x.Candidates {
						x.Candidates[k].Text = strings.Repeat("x", int(200*math.Exp(0.5*rng.NormFloat64())))
						texts[x.ID] = append(texts[x.ID], judging.Candidate{Text: x.Candidates[k].Text})
					}
					for _, s := range asker.Presentations(x) {
						r := &judging.Record{
							Item: x.ID, Gold: x.Candidates[x.Gold].ID, Presentation: s.Index, Presentations: 2,
							Order: []string{x.Candidates[s.Order[0]].ID, x.Candidates[s.Order[1]].ID},
						}
						oracle := asker.Prompt(x, s).Oracle
						reply, err := judge.Ask(t.Context(), backends.Request{Oracle: &oracle})
						assert.NilError(t, err)
						_, err = scorer.Add(r, asker.Parse(s, reply.Text, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}))
						assert.NilError(t, err)
					}
				}
				scorer.Finish()
				out, err := scorer.(scoring.BiasFinder).AnalyzeBias(func(use func(string, []judging.Candidate)) error {
					for id, both := range texts {
						use(id, both)
					}
					return nil
				}, nil, quick)
				assert.NilError(t, err)
				text := out.Answer()
				assert.Assert(t, !strings.Contains(text, "both orders on") && !strings.Contains(text, "verdicts)"), text)
				if strings.Contains(text, c.expected) && (c.refused == "" || !strings.Contains(text, c.refused)) {
					rightly++
				} else {
					t.Logf("seed %d: %s", seed+1, text)
				}
			}
			if 100*rightly < 95*worlds && (worlds == 200 || rightly < 18) {
				t.Errorf("%d of %d are named", rightly, worlds)
			}
		})
	}
}

const data = "../../../shared/data/"

// TestPublishedPrompts compares the prompts with MT-Bench's and LLMBar's files, byte for byte.
func TestPublishedPrompts(t *testing.T) {
	const question, answer = "What is {answer} of $1?", "It is {question} %s\n"
	x := judgingtest.PairItem("p1", 0)
	x.Question, x.Candidates[1].Text = question, answer
	x.Reference = "42 {answer}"
	prompt := func(name string, s judging.Settings) judging.Prompt {
		template, err := pointwise.Protocol.Template(name)
		assert.NilError(t, err)
		asker := pointwise.Protocol.NewAsker(pointwise.Protocol.AdaptTemplate(template, s), s)
		return asker.Prompt(x, asker.Presentations(x)[1])
	}
	gold := judging.Settings{"reference": "gold"}
	t.Run("mt-bench", func(t *testing.T) {
		raw, err := os.ReadFile(judgingtest.SkipWithoutFile(t, data+"mt-bench/judge_prompts.jsonl"))
		assert.NilError(t, err)
		count := 0
		for line := range strings.Lines(string(raw)) {
			var p struct {
				Name     string
				System   string `json:"system_prompt"`
				Template string `json:"prompt_template"`
			}
			assert.NilError(t, json.Unmarshal([]byte(line), &p))
			if s, ok := map[string]judging.Settings{"single-v1": nil, "single-math-v1": gold}[p.Name]; ok {
				user := strings.NewReplacer("{question}", question, "{answer}", answer, "{ref_answer_1}", x.Reference).Replace(p.Template)
				assert.Equal(t, prompt("mt-bench", s).System, p.System)
				assert.Equal(t, prompt("mt-bench", s).User, user)
				count++
			}
		}
		assert.Equal(t, count, 2)
	})
	t.Run("llmbar", func(t *testing.T) {
		for file, p := range map[string]judging.Prompt{
			"Rating": prompt("llmbar", nil), "Rating_Reference": prompt("llmbar", gold), "Rating_NoRules": prompt("llmbar-no-rules", nil),
		} {
			raw, err := os.ReadFile(judgingtest.SkipWithoutFile(t, data+"llmbar/LLMEvaluator/evaluators/prompts/rating/"+file+".txt"))
			assert.NilError(t, err)
			whole := "<|im_start|>system\n" + p.System + "\n<|im_end|>\n<|im_start|>user\n" + p.User + "\n<|im_end|>"
			fill := strings.NewReplacer("{input}", question, "{output}", answer, "{auxiliary_input_0}", x.Reference)
			assert.Equal(t, whole, fill.Replace(string(raw)))
		}
	})
}

// TestReference: a reference is shown between question and response, the system message speaks of it, and an item or a
// prompt without one is refused. Without the setting, prompts are the same for items with and without a reference.
func TestReference(t *testing.T) {
	plain := judgingtest.PairItem("p1", 0)
	x := plain
	x.Reference = "right answer"
	x.Answered = &datasets.AgentAnswer{Reference: "own answer"}
	type checker interface{ Check(datasets.Item) error }
	for _, name := range []string{"direct", "cot", "mt-bench", "llmbar", "llmbar-no-rules", judging.DecisionPromptName} {
		prompts := map[string]judging.Prompt{}
		for _, kind := range []string{"none", "gold", "own"} {
			s := judging.Settings{"reference": kind}
			if kind == "none" {
				s = nil
			}
			template, err := pointwise.Protocol.Template(name)
			assert.NilError(t, err)
			template = pointwise.Protocol.AdaptTemplate(template, s)
			repeated := pointwise.Protocol.AdaptTemplate(template, s)
			assert.DeepEqual(t, repeated.Texts, template.Texts)
			asker := pointwise.Protocol.NewAsker(template, s)
			check := asker.(checker).Check
			if name == "llmbar-no-rules" && kind != "none" {
				assert.ErrorContains(t, check(x), "the prompt llmbar-no-rules shows no reference")
				continue
			}
			assert.NilError(t, check(x))
			p := asker.Prompt(x, asker.Presentations(x)[0])
			prompts[kind] = p
			if kind == "none" {
				assert.NilError(t, check(plain))
				assert.DeepEqual(t, p.User, asker.Prompt(plain, asker.Presentations(plain)[0]).User)
				continue
			}
			assert.ErrorContains(t, check(plain), "p1 has no reference answer: leave out --reference")
			text := map[string]string{"gold": x.Reference, "own": x.Answered.Reference}[kind]
			position := strings.Index(p.User, text)
			if p.System+p.User == prompts["none"].System+prompts["none"].User || strings.Count(p.User, text) != 1 ||
				position < strings.Index(p.User, x.Question) || !strings.Contains(strings.ToLower(p.System+p.User), "reference") {
				t.Errorf("%s, %s: %s\n%s", name, kind, p.System, p.User)
			}
			if name == "direct" {
				assert.Equal(t, strings.Contains(p.System, "Compare it with the reference answer"), true)
			}
		}
	}
}

// TestPublishedScores imports LLMBar's stored scores. Each subset has the published correct_average, but for two scores
// of 10, which are outside the scale 0 to 9: the share of a recount that includes them is the published one too.
func TestPublishedScores(t *testing.T) {
	const folder = data + "llmbar/Dataset/LLMBar/"
	for subset, outside := range map[string]string{
		"Natural": "Natural#85", "Adversarial/Neighbor": "Adversarial/Neighbor#79", "Adversarial/GPTInst": "",
		"Adversarial/GPTOut": "", "Adversarial/Manual": "",
	} {
		t.Run(subset, func(t *testing.T) {
			file := judgingtest.SkipWithoutFile(t, folder+subset+"/evaluators/ChatGPT/Rating/result.json")
			var published struct {
				Average string `json:"correct_average"`
			}
			read(t, filepath.Join(filepath.Dir(file), "statistics.json"), &published)
			average, err := strconv.ParseFloat(strings.TrimSuffix(published.Average, "%"), 64)
			assert.NilError(t, err)
			dir := filepath.Join(t.TempDir(), "run")
			_, err = pointwise.Imports[0].Import(imports.Input{
				Files: []string{file}, Out: dir, Gavel: "test", Option: func(string) string { return "" },
			})
			assert.NilError(t, err)
			run, err := scoring.Load(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
			assert.NilError(t, err)
			r := run.Score(quick).Result("half-tie", scoring.Overall, "")

			var rows []struct {
				Label   int
				Results []json.RawMessage
			}
			read(t, file, &rows)
			recount, missing := 0.0, 0.0 // missing: what the pair without a score would add beyond half
			for i, row := range rows {
				var last struct {
					First  [2]string `json:"score_1"`
					Second [2]string `json:"score_2"`
				}
				assert.NilError(t, json.Unmarshal(row.Results[len(row.Results)-1], &last))
				a, _ := strconv.Atoi(strings.TrimSpace(last.First[0]))
				b, _ := strconv.Atoi(strings.TrimSpace(last.Second[0]))
				if row.Label == 2 {
					a, b = b, a
				}
				points := map[bool]float64{true: 1}[a > b]
				if a == b {
					points = 0.5
				}
				recount += points
				if fmt.Sprintf("%s#%d", subset, i) == outside {
					missing = points - 0.5
					assert.Equal(t, max(a, b), 10)
				}
			}
			n := float64(len(rows))
			assert.Assert(t, math.Abs(100*recount/n-average) < 1e-9, "%v of %v is not %v", recount, n, average)
			assert.Assert(t, r.N == len(rows) && math.Abs(*r.Value-100*(recount-missing)/n) < rounded, "%+v", r)
			if missing := rowsWithoutScore(t, dir); missing != outside {
				t.Errorf("without a score: %q, want %q", missing, outside)
			}
		})
	}
}

// rowsWithoutScore returns the items of a run's records without a score.
func rowsWithoutScore(t *testing.T, dir string) string {
	t.Helper()
	var items []string
	assert.NilError(t, judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		if r.Outcome != judging.Decided {
			items = append(items, r.Item)
		}
		return nil
	}))
	return strings.Join(items, " ")
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	assert.NilError(t, err)
	assert.NilError(t, json.Unmarshal(raw, into))
}

// FuzzParse: no reply makes the reader panic, a verdict is on the scale, and it is where it says.
func FuzzParse(f *testing.F) {
	for _, reply := range []string{"", "[[8]]", "Rating: [[8.5]]", "8/10", "٣", "[[Yes]] [[No]]", "Score: -1", "[[1e9]]", "\xff8", "[[" + strings.Repeat("9", 400) + "]]"} {
		for scale := range 3 {
			f.Add(reply, scale)
		}
	}
	f.Fuzz(func(t *testing.T, reply string, scale int) {
		labels := [][]string{strings.Fields(oneToTen), {"No", "Yes"}, strings.Fields("0 1 2 3 4 5 6 7 8 9")}[uint(scale)%3]
		asker := pointwise.Protocol.NewAsker(judging.Template{Name: "direct", Labels: labels}, nil)
		for _, reading := range []judging.ReadingOptions{{Readers: judging.RobustReaders}, {LabelPolicy: judging.PolicyUniqueLabel}, {LabelPolicy: judging.PolicyLastLabel}} {
			v := asker.Parse(judging.Presentation{Order: []int{0, 1}, Shape: datasets.ShapePair}, reply, reading)
			if v.Outcome != judging.Decided {
				continue
			}
			x, err := strconv.ParseFloat(v.Answer, 64)
			isLevel := v.Answer == "Yes" || v.Answer == "No"
			low, _ := strconv.ParseFloat(labels[0], 64)
			high, _ := strconv.ParseFloat(labels[len(labels)-1], 64)
			if isLevel != (len(labels) == 2) || !isLevel && (err != nil || x < low || x > high) || v.Choice != judging.NoCandidate {
				t.Errorf("%q reads as %+v on %q", reply, v, labels)
			}
			if v.Span.Start < 0 || v.Span.Start >= v.Span.End || v.Span.End > len(reply) {
				t.Errorf("%q reads as %+v: nowhere", reply, v)
			}
		}
	})
}

// By hand: of two criteria, of which the first has twice the weight, A gets 5 and 2, so 4, and B 3 and 5, so 11/3. The
// second item lacks B's score by one criterion, and so B's score. The texts have the scale of the settings.
func TestRubricByHand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rubric.yaml")
	assert.NilError(t, os.WriteFile(file, []byte(`criteria:
  - {name: correct, ask: "Is it correct?", weight: 2, levels: "1: no\n5: yes\n"}
  - {name: whole, ask: "Does it do all?"}
`), 0o644))
	prompt, err := pointwise.Protocol.ReadTemplateFile(file)
	assert.NilError(t, err)
	prompt = pointwise.Protocol.AdaptTemplate(prompt, judging.Settings{"scale": "1-5"})
	asker := pointwise.Protocol.NewAsker(prompt, judging.Settings{"scale": "1-5"})
	pair := datasets.Item{ID: "p", Shape: datasets.ShapePair, Candidates: []datasets.Candidate{{ID: "A", Text: "x"}, {ID: "B", Text: "y"}}}
	presentations := asker.Presentations(pair)
	assert.Equal(t, len(presentations), 4)
	system := asker.Prompt(pair, presentations[2]).System
	for _, want := range []string{"alone: Is it correct?\n1: no\n5: yes\n", "from 1 (worst) to 5 (best)", "[[3]]"} {
		assert.Assert(t, strings.Contains(system, want), "%q lacks %q", system, want)
	}
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pointwise", Goal: "good", Prompt: prompt, ProtocolOptions: judging.Settings{"scale": "1-5"},
		Dataset: judging.DatasetSpec{Items: 2}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for id, replies := range map[string][]string{"p": {"[[5]]", "[[2]]", "[[3]]", "[[5]]"}, "q": {"[[4]]", "[[4]]", "[[1]]", "?"}} {
		for i, reply := range replies {
			order := []string{"A", "B"}
			if i >= 2 {
				order = []string{"B", "A"}
			}
			assert.NilError(t, load.Add(&judging.Record{
				Schema: 1, Item: id, Gold: "A", Presentation: i, Presentations: 4, Order: order, Mode: presentations[i].Mode,
				Outcome: judging.Decided, Replies: []judging.Reply{{Text: reply, Finish: backends.FinishStop}},
			}))
		}
	}
	rep := load.Run().Score(quick)
	want(t, rep, "half-tie", scoring.Overall, 75, 2)
	want(t, rep, "right-where-alike", scoring.Overall, 100, 1)
	want(t, rep, "better-score:4", scoring.Overall, 2, 2)
	want(t, rep, "levels", scoring.Overall, 2, 3)
}

// By hand: of seven responses with an answer, five get the right one: 3 of 4 labelled ones a yes, 2 of 3 others a no. A
// missing answer is left out, but for a judge that always says yes. By chance κ would agree on 25/49.
func TestYesAndNoByHand(t *testing.T) {
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pointwise", Goal: "good", Prompt: judging.Template{Name: "direct", Labels: []string{"No", "Yes"}},
		Dataset: judging.DatasetSpec{Items: 5}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for i, yes := range [][2]float64{{0.9, 0.2}, {0.8, 0.6}, {0.3, 0}, {1, -1}, {1, 1}} {
		for k, p := range yes {
			r := &judging.Record{
				Schema: 1, Item: fmt.Sprint("p", i), Gold: "A", Presentation: k, Presentations: 2,
				Order: [][]string{{"A", "B"}, {"B", "A"}}[k], Outcome: judging.Decided,
				Replies:       []judging.Reply{{Text: map[bool]string{true: "[[Yes]]", false: "[[No]]"}[p > 0.5], Finish: backends.FinishStop}},
				Probabilities: []judging.Probability{{Label: "[[Yes]]", P: p}, {Label: "[[No]]", P: 1 - p}},
			}
			if p < 0 {
				r.Replies[0].Text, r.Probabilities = "?", nil
			}
			if i == 4 {
				r.Gold = ""
			}
			assert.NilError(t, load.Add(r))
		}
	}
	rep := load.Run().Score(quick)
	want(t, rep, "accuracy", scoring.Overall, 500./7, 4)
	want(t, rep, "balanced-accuracy", scoring.Overall, 50*(3./4+2./3), 4)
	want(t, rep, "bias", scoring.Overall, 0, 4)
	want(t, rep, "weighted-kappa", scoring.Overall, 10./24, 4)
	want(t, rep, "constant:accuracy", scoring.Overall, 50, 4)
	want(t, rep, "brier", scoring.Overall, (0.01+0.04+0.04+0.36+0.49)/7, 4)
	want(t, rep, "constant:brier", scoring.Overall, 0.5, 4)
	want(t, rep, "half-tie", scoring.Overall, 62.5, 4)
	assert.Equal(t, rep.Result("spearman", scoring.Overall, "").Metric, "")
	assert.Equal(t, runOf(t, oneToTen, item{"p", "", "A", []string{"8", "7"}}).Score(quick).Result("accuracy", scoring.Overall, "").Metric, "")
}

// By hand: both responses are given a 3, and the probabilities of the levels give A 3.2 and B 2.9.
func TestExpectedScore(t *testing.T) {
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pointwise", Goal: "good", Prompt: judging.Template{Name: "direct", Labels: strings.Fields("1 2 3 4 5")},
		Dataset: judging.DatasetSpec{Items: 1}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	assert.NilError(t, err)
	for i, levels := range [][]judging.Probability{
		{{Label: "[[3]]", P: 0.8}, {Label: "[[4]]", P: 0.2}}, {{Label: "[[3]]", P: 0.9}, {Label: "[[2]]", P: 0.1}},
	} {
		assert.NilError(t, load.Add(&judging.Record{
			Schema: 1, Item: "p", Gold: "A", Presentation: i, Presentations: 2, Order: [][]string{{"A", "B"}, {"B", "A"}}[i],
			Outcome: judging.Decided, Replies: []judging.Reply{{Text: "[[3]]", Finish: backends.FinishStop}}, Probabilities: levels,
		}))
	}
	rep := load.Run().Score(quick)
	want(t, rep, "half-tie", scoring.Overall, 50, 1)
	want(t, rep, "expected-half-tie", scoring.Overall, 100, 1)
}
