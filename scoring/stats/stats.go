// Package stats provides statistics on plain numbers: intervals by resampling, exact tests and corrections for multiple
// tests. It reads no records and uses no clock and no global randomness; equal arguments give equal results.
package stats

import "math"

// Bootstrap holds the settings of resampling and of permutation tests.
type Bootstrap struct {
	Rounds int     // number of resamples; for a test, the largest number of random exchanges
	Level  float64 // confidence level of intervals, such as 0.95
	Seed   uint64  // seed of all random draws
}

// DefaultBootstrap holds the settings of intervals and tests in all reports.
var DefaultBootstrap = Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1}

// Interval holds the lower and the upper end of an interval; both are NaN if the statistic is undefined in every
// resample.
type Interval struct{ Low, High float64 }

// noInterval holds the ends of an undefined interval.
var noInterval = Interval{Low: math.NaN(), High: math.NaN()}
