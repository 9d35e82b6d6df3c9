package report

import (
	"slices"

	"gavel/scoring"
)

const noiseNote = "noise floor: the largest difference that asking the same judge again made, in points"

// noiseFloor says what the noise floors of a comparison are.
func noiseFloor(two *scoring.Comparison) string {
	if hasFloor(two) {
		return noiseNote
	}
	return "noise floor unknown: neither run asked more than once (--repeat 2)"
}

func hasFloor(two *scoring.Comparison) bool {
	return slices.ContainsFunc(two.Differences, func(d scoring.Difference) bool { return d.Floor != nil })
}
