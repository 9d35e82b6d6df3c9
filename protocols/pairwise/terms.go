package pairwise

import (
	"slices"

	"gavel/scoring"
)

// Terms define the metrics of pairs (PROTOCOLS.md §1) and what tables of pairs have beside them.
var Terms = slices.Concat(
	scoring.Terms(slices.Concat(Metrics, referenceMetrics, []scoring.Metric{styleBias, softMetric})),
	scoring.CommonTerms,
)
