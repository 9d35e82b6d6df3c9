package stats

import (
	"math"
	"slices"
)

// Selected is a threshold of confidence above which a judge is believed.
type Selected struct {
	Threshold float64 // NaN where no threshold does
	Right, Of int     // labelled units at least as confident
}

// Select finds the least threshold of confidence above which a judge is wrong in at most a share of risk, with
// probability 1−delta that this is so. Thresholds are tested from the most confident unit down, from the first that
// could pass, each by the exact upper bound of its errors; the last before one fails stands. The units it is applied
// to must be like those that it is found on.
//
// Source: Jung, Brahman and Choi, "Trust or Escalate", arXiv 2407.18370, Section 2.2 (fixed sequence testing).
func Select(confidence []float64, right []bool, risk, delta float64) Selected {
	order := ascending(confidence)
	slices.Reverse(order)
	first := int(math.Ceil(math.Log(delta) / math.Log(1-risk))) // errorless, so many are enough
	found := Selected{Threshold: math.NaN()}
	rights := 0
	for n, i := range order {
		if right[i] {
			rights++
		}
		n++
		if n < len(order) && confidence[order[n]] == confidence[i] || n < first {
			continue
		}
		if Exact(n-rights, n, 1-2*delta).High > risk {
			break
		}
		found = Selected{Threshold: confidence[i], Right: rights, Of: n}
	}
	return found
}
