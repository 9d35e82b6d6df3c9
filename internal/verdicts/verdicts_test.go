package verdicts

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abadojack/whatlanggo"
	"gotest.tools/v3/assert"

	"gavel/datasets/rows"
	"gavel/internal/labels"
	"gavel/internal/trials"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// pairWon returns an item with a consistent verdict for one of two models.
func pairWon(i int, verdict string, models ...string) *item {
	return &item{Row: Row{Item: fmt.Sprint(i), Verdict: verdict, Consistent: new(true)}, models: models, cluster: i + 1}
}

// TestWinRateEqualsBisection: the ratios that a bisection in Python finds where an end of MOVER's interval of x −
// ratio·y is 0.
func TestWinRateEqualsBisection(t *testing.T) {
	for _, c := range [][9]float64{
		{.65, .626, .673, .88, .845, .909, 0.697368, 0.663416, 0.734551},
		{.53, .48, .58, .72, .62, .80, 0.568182, 0.452514, 0.719361},
		{.5, .4, .6, .6, .52, .68, .5, 0, 1},
		{.9, .87, .93, .95, .92, .97, 0.944444, 0.906529, 0.991171},
		{.2, .1, .3, .9, .8, .95, 0.125, 0, 0.253735},
		{.9, .87, .93, 1, .9, 1, .9, .87, 1},
		{.35, .31, .39, .97, .9, .99, 0.340426, 0.287383, 0.383268},
	} {
		share := stats.MeanEstimate{Mean: c[0], Interval: stats.Interval{Low: c[1], High: c[2]}}
		got := stats.AdjustWinRate(share, c[3], c[4], c[5])
		for i, x := range []float64{got.Mean, got.Low, got.High} {
			assert.Assert(t, math.Abs(x-c[6+i]) < 1e-5, "%v: %+v", c, got)
		}
	}
	assert.Assert(t, math.IsNaN(stats.AdjustWinRate(stats.MeanEstimate{Mean: .6}, .6, .5, .7).Mean))
}

// TestWinRatesCover: where the judge is as accurate as measured, the interval of the corrected win rate holds the true
// one in 93 to 97 % of runs, over all worlds; a single world may lie up to 4 standard errors beside, or above.
func TestWinRatesCover(t *testing.T) {
	sizes, measured, accuracies, runs := []int{100, 400}, []int{60, 200}, []float64{.7, .85, 1}, 60
	if trials.RunsSlowTests() {
		sizes, measured, accuracies, runs = []int{100, 400, 2000}, []int{60, 200, 400}, []float64{.7, .8, .9, .95, .99, 1}, 100
	}
	covered, all := 0, 0
	for _, n := range sizes {
		for _, m := range measured {
			for _, accuracy := range accuracies {
				for _, truth := range []float64{.35, .5, .65, .8, .95} {
					r := rand.New(rand.NewPCG(uint64(n+m), uint64(1000*accuracy+10*truth)))
					in, defined := 0, 0
					for range runs {
						x := world(r, n, m, accuracy, truth)
						if x.Value == nil {
							continue
						}
						defined++
						in += int(scoring.Indicator(*x.Low <= 100*truth && 100*truth <= *x.High))
					}
					covered += in
					all += defined
					low := 0.95 - 4*math.Sqrt(0.95*0.05/float64(defined)) - 0.01
					assert.Assert(t, float64(in)/float64(defined) > low, "n=%d m=%d a=%g p=%g: %d of %d", n, m, accuracy, truth, in, defined)
				}
			}
		}
	}
	share := float64(covered) / float64(all)
	t.Logf("%.4f of %d", share, all)
	assert.Assert(t, share > 0.93 && share < 0.97, "%g", share)
}

// world returns the corrected win rate of n pairs, of which the first model wins a share in truth, by a judge whose
// accuracy was measured on m pairs.
func world(r *rand.Rand, n, m int, accuracy, truth float64) scoring.Result {
	right := 0
	for range m {
		right += int(scoring.Indicator(r.Float64() < accuracy))
	}
	x := &Result{
		ResponseNames: []string{"v1", "v2"}, Accuracy: scoring.ShareEvidence("", float64(right), float64(m), 50),
	}
	var items []*item
	for i := range n {
		verdict := "v1"
		if (r.Float64() < truth) != (r.Float64() < accuracy) {
			verdict = "v2"
		}
		items = append(items, pairWon(i, verdict, "v1", "v2"))
	}
	x.add(scoring.Overall, items)
	return x.Estimates[1]
}

// oneOrderWorld returns the corrected win rate of n pairs, each judged in one order, by a judge that was measured on m
// pairs in both orders. Of its pairs, a share named consistent has the same verdict in both orders, which is correct
// with the probability accuracy; on the others it prefers the response shown first in a share of first. ok is false if
// the measured coverage does not show that one order is enough.
func oneOrderWorld(r *rand.Rand, n, m int, consistent, accuracy, first, truth float64) (rate scoring.Result, ok bool) {
	judge := func() (right [2]bool) { // with the better response first, and second
		if r.Float64() < consistent {
			right[0] = r.Float64() < accuracy
			return [2]bool{right[0], right[0]}
		}
		right[0] = r.Float64() < first
		return [2]bool{right[0], !right[0]}
	}
	var rows [][]float64
	covered := 0.0
	for range m {
		right := judge()
		covered += scoring.Indicator(right[0] == right[1])
		rows = append(rows, []float64{(scoring.Indicator(right[0]) + scoring.Indicator(right[1])) / 2, 1})
	}
	coverage := scoring.ShareEvidence(scoring.Coverage, covered, float64(m), scoring.MinConsistentLowerPercent)
	if !coverage.AboveThreshold || coverage.Value <= scoring.MinConsistentPercent {
		return rate, false
	}
	halfTie := []scoring.Metric{{Kind: scoring.KindHalfPoints, Columns: scoring.ColumnSpan{0, 2}}}
	measured := scoring.IndependentRows("pair", halfTie, rows).Results("", halfTie, scoringOptions.Bootstrap)[0]
	x := &Result{ResponseNames: []string{"v1", "v2"}}
	x.Accuracy, _ = measured.CompareWithThreshold(50)
	var items []*item
	for i := range n {
		verdict := "v1"
		if (r.Float64() < truth) != judge()[r.IntN(2)] {
			verdict = "v2"
		}
		items = append(items, pairWon(i, verdict, "v1", "v2"))
	}
	x.add(scoring.Overall, items)
	return x.Estimates[1], true
}

// TestOneOrderCovers: where one order was shown to be enough, the interval of the win rate that is corrected by the
// accuracy in an order drawn at random holds the true rate in 93 to 97 % of runs.
func TestOneOrderCovers(t *testing.T) {
	runs := 30
	if trials.RunsSlowTests() {
		runs = 400
	}
	r := rand.New(rand.NewPCG(1, 2))
	in, all := 0, 0
	for _, n := range []int{100, 400, 2000} {
		for _, m := range []int{60, 150, 400} {
			for _, accuracy := range []float64{.75, .9, .97, 1} {
				for _, truth := range []float64{.5, .65, .9} {
					for range runs {
						x, ok := oneOrderWorld(r, n, m, .985, accuracy, .9, truth)
						if !ok || x.Value == nil {
							continue
						}
						all++
						in += int(scoring.Indicator(*x.Low <= 100*truth && 100*truth <= *x.High))
					}
				}
			}
		}
	}
	share := float64(in) / float64(all)
	t.Logf("%.4f of %d", share, all)
	assert.Assert(t, share > 0.93 && share < 0.97 && all > 1000, "%g of %d", share, all)
}

// TestOneOrderNeedsEvidence: a judge whose second order changes 5 % of verdicts is asked in one order in 2.5 % of
// worlds at most, and one whose second order changes 0.5 % of verdicts nearly always.
func TestOneOrderNeedsEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	shareOf := func(consistent float64) float64 {
		enough := 0.0
		for range 1000 {
			_, ok := oneOrderWorld(r, 2, 400, consistent, .9, .9, .5)
			enough += scoring.Indicator(ok)
		}
		return enough / 1000
	}
	unsteady, steady := shareOf(.95), shareOf(.995)
	assert.Assert(t, unsteady < 0.04 && steady > 0.95, "%g and %g", unsteady, steady)
}

// TestTiesLeaveTheRateAlone: if the judge ties in 30 % of pairs, whichever side is better, the interval of the
// corrected win rate holds the true one in 93 to 97 % of runs. With ties as half a win, it would hold it in half of
// them at most.
func TestTiesLeaveTheRateAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const runs, pairs, truth, accuracy = 600, 400, .8, .9
	covers := func(asHalf bool) float64 {
		in := 0.0
		for range runs {
			right := 0.0
			for range pairs {
				right += scoring.Indicator(r.Float64() < accuracy)
			}
			x := &Result{
				ResponseNames: []string{"v1", "v2"},
				Accuracy:      scoring.ShareEvidence("", right, pairs, 50),
			}
			var items []*item
			for i := range pairs {
				verdict := "v1"
				if (r.Float64() < truth) != (r.Float64() < accuracy) {
					verdict = "v2"
				}
				items = append(items, pairWon(i, verdict, "v1", "v2"))
				switch tie := r.Float64() < .3; {
				case tie && asHalf:
					items[i].Verdict = []string{"v1", "v2"}[i%2]
				case tie:
					items[i].Verdict, items[i].ReasonToAskPerson = labels.Tie, labels.Tie
				}
			}
			x.add(scoring.Overall, items)
			rate := x.Estimates[1]
			in += scoring.Indicator(*rate.Low <= 100*truth && 100*truth <= *rate.High)
		}
		return in / runs
	}
	out, half := covers(false), covers(true)
	t.Logf("%.3f, as half a win %.3f", out, half)
	assert.Assert(t, out > 0.93 && out < 0.97 && half < 0.5, "%g, as half a win %g", out, half)
}

// TestVerdictsToAskAbout: items without a verdict to keep come first, those of a rare language before inconsistent ones
// and ties. Kept ones of a rare language follow and, if the judge's confidence finds errors, those of low confidence.
func TestVerdictsToAskAbout(t *testing.T) {
	keep := func(item string, confidence float64) Row {
		return Row{Item: item, Verdict: "v1", Consistent: new(true), Recommendation: "keep", Confidence: &confidence}
	}
	r := &Result{ResponseNames: []string{"v1", "v2"}, Estimates: []scoring.Result{{}}, confidencePredictsAccuracy: true, Verdicts: []Row{
		keep("a", .9), keep("b", .55), keep("c", .7),
		{Item: "d", Verdict: labels.Tie, Consistent: new(true), Recommendation: "person", ReasonToAskPerson: labels.Tie},
		{Item: "e", Recommendation: "person", ReasonToAskPerson: reasonInconsistent},
		{Item: "f", Recommendation: "person", ReasonToAskPerson: reasonNoVerdict, Language: "German"},
		{Item: "g", Verdict: "v1", Recommendation: "keep", Language: "Greek"},
	}}
	list := func() (items []string) {
		for _, row := range r.Document().Blocks[1].Table.Rows {
			items = append(items, row.Name)
		}
		return items
	}
	assert.DeepEqual(t, list(), []string{"f", "e", "d", "g", "b", "c"}) // 6 of 7
	r.confidencePredictsAccuracy = false
	assert.DeepEqual(t, list(), []string{"f", "e", "d", "g"})
}

// sample returns items of a world for [Result.warnOfUnlikeItems].
func sample(r *rand.Rand, n int, length, consistency, german float64) (all []*item) {
	for i := range n {
		x := pairWon(i, "A", "A", "B")
		x.Consistent = new(r.Float64() < consistency)
		x.responseLength = int(math.Exp(math.Log(length) + 0.8*r.NormFloat64()))
		x.Language = "English"
		if r.Float64() < german {
			x.Language = "German"
		}
		all = append(all, x)
	}
	return all
}

// TestUnlikeItemsAreNamed: items of another length, language or consistency are noticed in 90 % of worlds or more, and
// items of the same kind are named unlike in 5 % at most.
func TestUnlikeItemsAreNamed(t *testing.T) {
	runs := 150
	if trials.RunsSlowTests() {
		runs = 300
	}
	for _, c := range []struct {
		name                                  string
		length, consistency, german, measured float64 // measured: share of German among the measured items
		warns                                 string
	}{
		{"alike", 500, .8, 0, 0, ""},
		{"alike, with some German", 500, .8, .04, .04, ""},
		{"longer", 1400, .8, 0, 0, "longer or shorter"},
		{"shorter", 150, .8, 0, 0, "longer or shorter"},
		{"less consistent", 500, .6, 0, 0, "consistent verdict"},
		{"more consistent", 500, .95, 0, 0, "consistent verdict"},
		{"in German", 500, .8, .2, 0, "a language that is rare"},
	} {
		for _, n := range [][2]int{{200, 200}, {100, 2000}, {400, 1000}} {
			rng := rand.New(rand.NewPCG(uint64(n[0]), uint64(n[1])))
			warned := 0
			for range runs {
				r := new(Result)
				r.warnOfUnlikeItems(sample(rng, n[1], c.length, c.consistency, c.german), sample(rng, n[0], 500, .8, c.measured))
				text := strings.Join(r.Warnings, " ")
				warned += int(scoring.Indicator(text != "" && strings.Contains(text, c.warns)))
			}
			share := float64(warned) / float64(runs)
			t.Logf("%s %v: %.3f", c.name, n, share)
			if c.warns == "" {
				assert.Assert(t, share <= 0.05, "%s %v: %g", c.name, n, share)
			} else {
				assert.Assert(t, share >= 0.9, "%s %v: %g", c.name, n, share)
			}
		}
	}
}

// TestRanking: the strengths are those of Hunter's MM algorithm in Python, and models stand in their order, not in that
// of wins; a model that wins nearly always ranks first.
func TestRanking(t *testing.T) {
	wins := map[[2]string]int{
		{"m1", "m2"}: 30, {"m2", "m1"}: 18, {"m2", "m3"}: 22, {"m3", "m2"}: 14, {"m1", "m3"}: 25, {"m3", "m1"}: 9,
		{"m1", "m4"}: 12, {"m4", "m1"}: 10, {"m3", "m4"}: 7, {"m4", "m3"}: 16,
	}
	var items []*item
	for p, n := range wins {
		for range n {
			items = append(items, pairWon(len(items), p[0], p[0], p[1]))
		}
	}
	r := &Result{ResponseNames: []string{"m2", "m3", "m1", "m4"}}
	r.setRanking(items)
	assert.DeepEqual(t, r.ResponseNames, []string{"m1", "m4", "m2", "m3"})
	for i, want := range []float64{0, 45.320441943042105, 37.97028267374094, 28.160979435553948} {
		x := r.Ranking[i].WinProbability
		if i == 0 {
			assert.Assert(t, x.Value == nil)
			continue
		}
		assert.Assert(t, math.Abs(*x.Value-want) < 1e-3, "%d: %g", i, *x.Value)
		assert.Assert(t, *x.Low < want && want < *x.High)
	}
	assert.Equal(t, r.Ranking[0].Ranks, [2]int{1, 3})
	assert.Equal(t, r.Ranking[3].Ranks, [2]int{2, 4})

	items = nil
	for i := range 120 {
		winner, loser := []string{"m1", "m1", "m2"}[i%3], []string{"m2", "m3", "m3"}[i%3]
		if i%10 == 0 {
			winner, loser = loser, winner
		}
		items = append(items, pairWon(i, winner, loser, winner))
	}
	r = &Result{ResponseNames: []string{"m3", "m1", "m2"}}
	r.setRanking(items)
	for i, x := range r.Ranking {
		assert.Equal(t, x.Ranks, [2]int{i + 1, i + 1})
	}
	r.setRanking(nil) // none consistent
	assert.Equal(t, r.Ranking[1].Ranks, [2]int{1, 3})
}

// TestLanguages: whatlanggo names the language of questions with answers, and is sure.
func TestLanguages(t *testing.T) {
	for want, text := range map[string]string{
		"German":   "Wie kündige ich mein Abo vor Ablauf der Frist? Sie können es jederzeit in den Einstellungen kündigen.",
		"French":   "Comment puis-je annuler mon abonnement avant la fin ? Vous pouvez le faire dans les réglages du compte.",
		"Spanish":  "¿Cómo puedo cancelar mi suscripción antes de que termine? Puede hacerlo en los ajustes de su cuenta.",
		"English":  "How can I cancel my subscription before it ends? You can do that in the settings of your account.",
		"Mandarin": "如何在到期之前取消我的订阅？您可以随时在帐户设置中取消订阅。",
	} {
		got := whatlanggo.Detect(text)
		assert.Assert(t, got.IsReliable() && got.Lang.String() == want, "%s: %v", want, got)
	}
}

// TestFiles: every format has the same rows.
func TestFiles(t *testing.T) {
	all := []Row{
		{Item: "a", Verdict: "v1", Consistent: new(true), Confidence: new(0.875), Recommendation: "keep"},
		{Item: "b", Recommendation: "person", ReasonToAskPerson: reasonNoVerdict, Language: "German"},
	}
	for _, format := range Formats {
		path := filepath.Join(t.TempDir(), "verdicts"+format)
		f, err := os.Create(path)
		assert.NilError(t, err)
		assert.NilError(t, Write(f, format, all))
		assert.NilError(t, f.Close())
		var got []string
		err = rows.EachRow(path, func(_ int, raw []byte) error {
			var cells map[string]any
			err := json.Unmarshal(raw, &cells)
			for _, name := range []string{"item", "verdict", "consistent", "confidence", "use", "why", "language"} {
				if cells[name] == nil {
					cells[name] = ""
				}
				got = append(got, fmt.Sprint(cells[name]))
			}
			return err
		})
		assert.NilError(t, err)
		assert.Equal(t, strings.Join(got, ","), "a,v1,true,0.875,keep,,,b,,,,person,no verdict,German", format)
	}
}
