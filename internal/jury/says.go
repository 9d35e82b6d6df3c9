package jury

import (
	"fmt"
	"math"
	"path"

	"gavel/scoring"
)

// answer says whether the jury is worth its calls.
func (r *Report) answer() string {
	gain := r.Gain
	if r.Value.Value == nil || gain.Diff == nil || len(r.Members) == 0 || r.Members[0].Value == nil {
		return "Nobody can say what the jury gains: it has no value to hold against its members."
	}
	best := r.Members[0]
	name := path.Base(best.Model)
	values := fmt.Sprintf("%.1f %% against %.1f %% of %s, its best member", *r.Value.Value, *best.Value, name)
	points := fmt.Sprintf("%.1f points", math.Abs(*gain.Diff))
	if gain.Low != nil && gain.High != nil {
		low, high := *gain.Low, *gain.High
		if *gain.Diff < 0 {
			low, high = -high, -low
		}
		points += fmt.Sprintf(" [%.1f, %.1f]", scoring.Unsigned(low, 1), scoring.Unsigned(high, 1))
	}
	switch {
	case gain.Noise && *gain.Diff == 0:
		return fmt.Sprintf("No gain: %s%s.", values, r.times())
	case gain.Noise:
		return fmt.Sprintf("No gain that is more than noise: %s%s.", values, r.times())
	case *gain.Diff < 0:
		return fmt.Sprintf("The jury is worse by %s: %s%s. Use %s alone.", points, values, r.times(), name)
	}
	return fmt.Sprintf("The jury is better by %s: %s%s.", points, values, r.times())
}

// times says how many times the calls of one member the jury takes; "" where it takes no more.
func (r *Report) times() string {
	if r.alone == 0 || r.Calls <= r.alone {
		return ""
	}
	words := []string{2: "twice", 3: "three times", 4: "four times", 5: "five times"}
	switch times := float64(r.Calls) / float64(r.alone); {
	case times == math.Round(times) && times >= 2 && int(times) < len(words):
		return ", at " + words[int(times)] + " the calls"
	default:
		return fmt.Sprintf(", at %.1f times the calls", times)
	}
}
