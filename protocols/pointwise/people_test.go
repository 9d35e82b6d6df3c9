package pointwise

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// TestAgreementsAreThoseOfPublishedPackages: every statistic is that of SciPy, scikit-learn or pingouin.
func TestAgreementsAreThoseOfPublishedPackages(t *testing.T) {
	raw, err := os.ReadFile("testdata/agreement.json")
	assert.NilError(t, err)
	var file struct {
		Cases map[string]struct {
			People, Judge []float64
			Statistics    map[string]float64
		}
	}
	assert.NilError(t, json.Unmarshal(raw, &file))
	compared := map[string]int{}
	for name, c := range file.Cases {
		for _, a := range agreements {
			if want, ok := c.Statistics[a.name]; ok {
				compared[a.name]++
				if got := a.compute(c.People, c.Judge); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %s is %v, want %v", name, a.name, got, want)
				}
			}
		}
	}
	for _, a := range agreements {
		assert.Assert(t, compared[a.name] > 0, "%s is compared with nothing", a.name)
		for _, of := range [][]float64{nil, {3, 3, 3}} { // no responses; all scores alike
			v := a.compute(of, of)
			assert.Equal(t, math.IsNaN(v), of == nil || a.name != accuracy && a.name != meanAbsoluteError && a.name != bias &&
				a.name != balancedAccuracyMetric && a.name != brier, "%s of %v is %v", a.name, of, v)
		}
	}
}

// response is an item with people's scores by name, and the judge's.
type response struct {
	question string
	people   map[string]float64
	judge    float64 // NaN: no score
}

// resultsOf returns the results of a judge on a scale, by metric. In yes-no, its scores are 1 and 0.
func resultsOf(t *testing.T, scale string, all []response) map[string]scoring.Result {
	t.Helper()
	m := judging.NewManifest("test", judging.Spec{
		Protocol: name, Prompt: judging.Template{Name: "direct", Labels: levelsOf(scale)},
		Dataset: judging.DatasetSpec{Items: len(all)},
	})
	scorer := NewScorer(m)
	for i, r := range all {
		v := judging.Verdict{Outcome: judging.Decided, Choice: judging.NoCandidate, Answer: fmt.Sprint(r.judge)}
		if scale == "yes-no" {
			v.Answer = levelsOf(scale)[int(r.judge)]
		}
		if math.IsNaN(r.judge) {
			v = judging.EmptyVerdict(judging.NoVerdict)
		}
		record := judging.Record{
			Item: fmt.Sprintf("r%03d", i), Order: []string{"A"}, QuestionID: r.question, Presentations: 1,
			People: &datasets.PeopleScores{Scores: r.people},
		}
		added, err := scorer.Add(&record, v)
		assert.Assert(t, added && err == nil, err)
	}
	assert.Equal(t, scorer.Finish(), len(all))
	sheet := scorer.Sheet(scoring.MissingWrong, 1)
	terms := map[string]scoring.Result{}
	for i, m := range sheet.Metrics {
		term, ok := scoring.MetricOf(name, m.Name)
		assert.Assert(t, ok, m.Name)
		sheet.Metrics[i].Unit = term.Unit
	}
	for _, r := range sheet.ScoreAsGroup(scoring.Overall, "response", stats.DefaultBootstrap) {
		terms[r.Metric] = r
	}
	return terms
}

// TestAgreementByHand: four responses, judged one point too high, and one without a score by the judge.
//
//	people: a 1 2 3 5 5, b 1 2 3 3 –; means 1 2 3 4 5; judge 2 3 4 5 –
//
// Of the four with a score, the variances are 5/3, as is the covariance, and the means differ by 1: κ is
// (10/3)/(10/3 + 4/3) = 5/7, ICC (10/3)/(10/3 + 1) = 10/13. The constant answer 3 is 2, 1, 0, 1 and 2 points away. Of a
// person against the other, the distances are 0, 0, 0 and 2, once for each of the two.
func TestAgreementByHand(t *testing.T) {
	got := resultsOf(t, "1-5", []response{
		{people: map[string]float64{"a": 1, "b": 1}, judge: 2}, {people: map[string]float64{"a": 2, "b": 2}, judge: 3},
		{people: map[string]float64{"a": 3, "b": 3}, judge: 4}, {people: map[string]float64{"a": 5, "b": 3}, judge: 5},
		{people: map[string]float64{"a": 5}, judge: math.NaN()},
	})
	for metric, want := range map[string]struct {
		value float64
		n     int
	}{
		spearman: {1, 4}, "kendall": {1, 4}, "pearson": {1, 4}, weightedKappa: {5.0 / 7, 4}, "icc": {10.0 / 13, 4},
		meanAbsoluteError: {1, 4}, bias: {1, 4}, "constant:mae": {1.2, 5}, "people:mae": {0.5, 4},
	} {
		r := got[metric]
		ok := r.Value != nil && math.Abs(*r.Value-want.value) < 1e-6 && r.N == want.n
		assert.Assert(t, ok, "%s: %+v", metric, r)
		assert.Assert(t, r.Low == nil && r.Note != "", "%s has an interval from %d responses", metric, r.N)
	}
	for _, metric := range []string{"people:bias", "constant:spearman", accuracy} {
		assert.Equal(t, got[metric].Metric, "")
	}
}

// TestOtherRecords: a record that no run can have written is refused, or has no comparison with people.
func TestOtherRecords(t *testing.T) {
	none := &datasets.PeopleScores{}
	some := &datasets.PeopleScores{Scores: map[string]float64{"a": 1}}
	for _, c := range []struct {
		order  []string
		people *datasets.PeopleScores
		ok     bool
	}{
		{nil, some, false}, {[]string{"A"}, nil, true}, {[]string{"A"}, none, true}, {[]string{"A"}, some, true},
		{[]string{"A", "B"}, none, true}, {[]string{"A", "B"}, some, true},
	} {
		scorer := NewScorer(judging.NewManifest("test", judging.Spec{Prompt: judging.Template{Labels: levelsOf("1-5")}}))
		for _, item := range []string{"x", "y"} {
			r := judging.Record{Item: item, Order: c.order, People: c.people, Presentations: max(1, len(c.order))}
			for r.Presentation = range r.Presentations {
				slices.Reverse(r.Order)
				added, err := scorer.Add(&r, judging.Verdict{Outcome: judging.Decided, Answer: "3"})
				assert.Assert(t, added == c.ok && (err == nil) == c.ok, "%+v: %v", c, err)
			}
		}
		scorer.Finish()
		units := scorer.Sheet(scoring.MissingWrong, 1).Metrics[0].ValueFromUnits
		assert.Equal(t, units != nil, c.people == some && len(c.order) == 1, "%+v", c)
	}
}

// TestOtherScale: a judge on another scale than people has no statistics of levels.
func TestOtherScale(t *testing.T) {
	all := []response{{people: map[string]float64{"a": 1}, judge: 2}, {people: map[string]float64{"a": 5}, judge: 9}}
	got := resultsOf(t, "1-10", all)
	assert.Assert(t, got[spearman].Value != nil && got[weightedKappa].Metric == "", "%v", got)
	assert.Assert(t, resultsOf(t, "1-5", all[:1])[bias].Metric == "", "people used 1 alone")
}

// TestYesAndNo: people say yes to 15 of 20 responses; the judge agrees on 12 of these and on 4 of the others. By chance
// it would agree on 0.65 · 0.75 + 0.35 · 0.25 = 0.575 of them: κ is (0.8 − 0.575)/0.425 = 9/17.
func TestYesAndNo(t *testing.T) {
	var all []response
	for i := range 20 {
		people, judge := scoring.Indicator(i < 15), scoring.Indicator(i < 12 || i == 19)
		all = append(all, response{people: map[string]float64{"a": people}, judge: judge})
	}
	got := resultsOf(t, "yes-no", all)
	for metric, want := range map[string]float64{
		accuracy: 80, balancedAccuracyMetric: 80, "constant:accuracy": 75, weightedKappa: 9.0 / 17, bias: -0.1,
	} {
		r := got[metric]
		assert.Assert(t, math.Abs(*r.Value-want) < 1e-4 && *r.Low < want && want < *r.High && r.N == 20, "%s: %+v", metric, r)
	}
	assert.Assert(t, got[brier].Metric == "", "no probabilities, no Brier score")
}

// TestFewQuestionsAreNotClusters: the responses to one question are resampled together, unless there are few questions.
func TestFewQuestionsAreNotClusters(t *testing.T) {
	for _, questions := range []int{9, 10} {
		var all []response
		for i := range 40 {
			x := float64(1 + i%5)
			all = append(all, response{
				question: fmt.Sprint(i % questions), people: map[string]float64{"a": x}, judge: min(5, x+float64(i%2)),
			})
		}
		got := resultsOf(t, "1-5", all)[spearman]
		want := 0
		if questions == 10 {
			want = 10
		}
		assert.Assert(t, got.Clusters == want && got.Low != nil, "%d questions: %+v", questions, got)
	}
}

// TestAgreementIntervalsCover: intervals hold the true value in 93 to 98 % of samples, with ties, of 30 responses and
// of 100 to 25 questions.
func TestAgreementIntervalsCover(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	for _, c := range []struct {
		levels, noise  float64
		n, perQuestion int
		people         int // each against the others; 0: the judge against people
		statistics     []agreement
	}{
		{levels: 5, noise: 0.7, n: 30, perQuestion: 1, people: 3, statistics: agreements[4:]},
		{levels: 5, noise: 1.5, n: 60, perQuestion: 1, people: 3, statistics: agreements[4:]},
		{levels: 10, noise: 0.7, n: 100, perQuestion: 4, people: 3, statistics: agreements[4:]},
		{levels: 5, noise: 1.5, n: 60, perQuestion: 1, statistics: agreements[3:]},
		{levels: 5, noise: 0.7, n: 30, perQuestion: 1, statistics: agreements[3:]},
		{levels: 5, noise: 1.5, n: 100, perQuestion: 4, statistics: agreements[3:]},
		{levels: 10, noise: 100, n: 30, perQuestion: 1, statistics: agreements[3:]},
		{levels: 10, noise: 0.7, n: 100, perQuestion: 4, statistics: agreements[3:]},
		{levels: 2, noise: 1, n: 60, perQuestion: 1, statistics: agreements[1:6]},
		{levels: 2, noise: 1, n: 100, perQuestion: 4, statistics: agreements[1:6]},
	} {
		rng := rand.New(rand.NewPCG(5, uint64(c.n)))
		level := func(z float64) float64 {
			x := math.Round((c.levels+1)/2 + z*c.levels/4)
			if c.levels == 2 {
				return scoring.Indicator(z > 0)
			}
			return min(c.levels, max(1, x))
		}
		draw := func(n int) (rows [][]float64) {
			for len(rows) < n {
				shared := rng.NormFloat64()
				for range c.perQuestion {
					quality := shared
					if c.perQuestion > 1 {
						quality = (shared + rng.NormFloat64()) / math.Sqrt2
					}
					score := func() float64 { return level(quality + 0.6*c.noise*rng.NormFloat64() + 0.2) }
					row := []float64{level(quality), score()}
					if c.people == 3 {
						x, y, z := score(), score(), score()
						row = []float64{(x + y) / 2, z, (y + z) / 2, x, (x + z) / 2, y}
					}
					rows = append(rows, row)
				}
			}
			return rows
		}
		population := draw(200_000)
		samples := make([][][]float64, 1000)
		for i := range samples {
			samples[i] = draw(c.n)
		}
		for _, a := range c.statistics {
			truth, covered, undefined := a.computeFromRows(population), 0, 0
			for _, rows := range samples {
				iv := stats.Jackknife(c.n/c.perQuestion, func(sample []int) float64 {
					var all [][]float64
					for _, k := range sample {
						all = append(all, rows[k*c.perQuestion:(k+1)*c.perQuestion]...)
					}
					return a.computeFromRows(all)
				}, a.name != meanAbsoluteError && a.name != bias, 0.95)
				covered += int(scoring.Indicator(iv.Low <= truth && truth <= iv.High))
				undefined += int(scoring.Indicator(math.IsNaN(iv.Low)))
			}
			share := float64(covered) / float64(len(samples)-undefined)
			if share < 0.93 || share > 0.98 || undefined > 5 {
				t.Errorf("%g levels, noise %g, %d responses, %d a question: %.3f of the intervals of %s hold %.3f",
					c.levels, c.noise, c.n, c.perQuestion, share, a.name, truth)
			}
		}
	}
}

// TestAUROCIntervalsCover: the interval of score-auroc holds the true value in 93 to 98 % of samples of 30 and 60
// pairs, with ties, and with scores of a pair's responses that go together.
func TestAUROCIntervalsCover(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	for _, c := range []struct {
		levels, effect, shared float64 // shared: of the variance of a score, the part that both responses of a pair have
		n, perPair             int
	}{
		{levels: 10, effect: 0.8, shared: 0, n: 30, perPair: 2},
		{levels: 10, effect: 0.8, shared: 0.7, n: 30, perPair: 2},
		{levels: 5, effect: 0, shared: 0.5, n: 30, perPair: 2},
		{levels: 5, effect: 1.5, shared: 0.5, n: 60, perPair: 2},
		{levels: 2, effect: 0.8, shared: 0.5, n: 60, perPair: 2},
		{levels: 2, effect: 2, shared: 0.2, n: 30, perPair: 2},
		{levels: 101, effect: 2, shared: 0.5, n: 30, perPair: 2},
		{levels: 10, effect: 0.8, shared: 0.5, n: 30, perPair: 4},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(c.n)))
		draw := func(n int) (all []stats.Scored) {
			for i := range n {
				both := rng.NormFloat64() * math.Sqrt(c.shared)
				for k := range c.perPair {
					z := both + rng.NormFloat64()*math.Sqrt(1-c.shared) + c.effect*scoring.Indicator(k == 0)
					x := math.Round((c.levels-1)/2 + z*c.levels/5)
					all = append(all, stats.Scored{
						Score: min(c.levels-1, max(0, x)), Positive: k == 0, Cluster: fmt.Sprint(i),
					})
				}
			}
			return all
		}
		truth, _ := stats.AUROC(draw(100_000), 0.95)
		covered, worlds := 0.0, 2000.0
		for range int(worlds) {
			_, iv := stats.AUROC(draw(c.n), 0.95)
			covered += scoring.Indicator(iv.Low <= truth && truth <= iv.High)
		}
		t.Logf("%+v: %.3f of the intervals hold %.3f", c, covered/worlds, truth)
		if share := covered / worlds; share < 0.93 || share > 0.98 {
			t.Errorf("%+v: %.3f of the intervals hold %.3f", c, share, truth)
		}
	}
}

// TestMetricsPrompts: LLMBar's prompts with metrics are those without, and a paragraph.
func TestMetricsPrompts(t *testing.T) {
	const paragraph = "# Questions about Outputs:\nHere are at most three questions about the outputs, which are presented from " +
		"most important to least important. You can do the evaluation based on thinking about all the questions.\n{metrics}\n\n"
	for _, ending := range []string{"", "-reference"} {
		assert.Equal(t, strings.Replace(texts["llmbar-metrics"+ending], paragraph, "", 1), texts["llmbar"+ending])
	}
}
