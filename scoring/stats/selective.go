package stats

import (
	"math"
	"slices"
)

// AcceptanceThreshold holds a threshold of confidence at and above which a judge's verdicts are accepted.
type AcceptanceThreshold struct {
	Threshold    float64 // lowest accepted confidence; NaN if no threshold satisfies the limit
	Right, Total int     // correct verdicts, and all, on labelled units at or above the threshold
}

// SelectThreshold returns the lowest threshold of confidence at and above which a judge is wrong in at most a share of
// risk; this holds with probability 1−delta. Thresholds are tested from the most confident unit down, beginning with
// the first that could pass, each by the exact upper bound of its error rate; the last one before a failure is
// selected. The threshold is valid for units that are like the labelled ones.
//
// Source: Jung, Brahman and Choi, "Trust or Escalate", arXiv 2407.18370, Section 2.2 (fixed sequence testing).
func SelectThreshold(confidence []float64, right []bool, risk, delta float64) AcceptanceThreshold {
	order := ascendingIndexes(confidence)
	slices.Reverse(order)
	first := int(math.Ceil(math.Log(delta) / math.Log(1-risk))) // units needed even if all are right
	best := AcceptanceThreshold{Threshold: math.NaN()}
	rights := 0
	for n, i := range order {
		if right[i] {
			rights++
		}
		n++
		if n < len(order) && confidence[order[n]] == confidence[i] || n < first {
			continue
		}
		if ClopperPearson(n-rights, n, 1-2*delta).High > risk {
			break
		}
		best = AcceptanceThreshold{Threshold: confidence[i], Right: rights, Total: n}
	}
	return best
}
