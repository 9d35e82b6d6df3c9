package stats_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/scoring/stats"
)

func ends(iv stats.Interval) []float64 { return []float64{iv.Low, iv.High} }

func whole(x []float64) (counts []int) {
	for _, v := range x {
		counts = append(counts, int(v))
	}
	return counts
}

// functions of testdata/worked.txt.
var functions = map[string]func(x []float64) []float64{
	"exact":        func(x []float64) []float64 { return ends(stats.ClopperPearson(int(x[0]), int(x[1]), x[2])) },
	"mcnemar":      func(x []float64) []float64 { return []float64{stats.McNemar(int(x[0]), int(x[1]))} },
	"holm":         stats.Holm,
	"binary":       func(x []float64) []float64 { return []float64{stats.BinaryCorrelation(x[0], x[1], x[2], x[3])} },
	"partial":      func(x []float64) []float64 { return []float64{stats.Partial(x[0], x[1], x[2])} },
	"entropy":      func(x []float64) []float64 { return []float64{stats.Entropy(whole(x))} },
	"paired":       func(x []float64) []float64 { return ends(stats.PairedInterval(x[0], x[1], x[2], 0.95)) },
	"tells":        func(x []float64) []float64 { return []float64{stats.DetectableDifference(int(x[0]), 0.3, 0.05, 0.8)} },
	"pairs":        func(x []float64) []float64 { return []float64{stats.PairsToDetect(x[0], 0.3, 0.05, 0.8)} },
	"agreement":    func(x []float64) []float64 { return []float64{stats.AC1(x, 3), stats.Kappa(x, 3)} },
	"betabinomial": func(x []float64) []float64 { return ends(stats.BetaBinomialSequence(int(x[0]), int(x[1]), 0.95, x[2])) },
	"expected": func(x []float64) []float64 {
		return []float64{stats.ExpectedEntropy(int(x[0]), x[1:]), stats.ExpectedLargestCount(int(x[0]), x[1:])}
	},
	"uniformity": func(x []float64) []float64 {
		chi2, df, p := stats.Uniformity(whole(x))
		return []float64{chi2, float64(df), p}
	},
	"gladen": func(x []float64) []float64 {
		n := whole(x)
		e := stats.RoganGladen(n[0], n[1], [2]int{n[2], n[3]}, [2]int{n[4], n[5]}, 0.95)
		return []float64{e.Mean, e.Low, e.High}
	},
}

// numbers of words, and by how much each may be off: by half of its last digit.
func numbers(t *testing.T, words []string) (all, tolerances []float64) {
	for _, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		_, decimals, fraction := strings.Cut(word, ".")
		tolerance := 1e-12
		if fraction {
			tolerance += 0.51 * math.Pow10(-len(decimals))
		}
		all, tolerances = append(all, v), append(tolerances, tolerance)
	}
	return all, tolerances
}

func TestByHand(t *testing.T) {
	text, err := os.ReadFile("testdata/worked.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		example, _, _ := strings.Cut(line, "#")
		call, result, is := strings.Cut(example, "=")
		if !is {
			continue
		}
		words := strings.Fields(call)
		given, _ := numbers(t, words[1:])
		want, tolerances := numbers(t, strings.Fields(result))
		before := slices.Clone(given)
		got := functions[words[0]](given)
		if len(got) != len(want) || !slices.EqualFunc(given, before, same) {
			t.Fatalf("%s: %v, given what is now %v", line, got, given)
		}
		for i, v := range got {
			if !same(v, want[i]) && !(math.Abs(v-want[i]) <= tolerances[i]) {
				t.Errorf("%s: %v", line, got)
			}
		}
	}
}
