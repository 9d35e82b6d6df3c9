// Package stats provides statistics on plain numbers: intervals by resampling, exact tests and corrections for multiple
// tests. It reads no records and uses no clock and no global randomness; equal arguments give equal results.
package stats

import "math"

// Bootstrap holds the settings of resampling and of permutation tests.
type Bootstrap struct {
	Rounds int     // number of resamples; limit of the exchanges drawn for a test
	Level  float64 // of the interval, such as 0.95
	Seed   uint64
}

// Default holds the settings of all reports.
var Default = Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1}

// Interval holds the ends of an interval; both are NaN if the statistic is undefined in every resample.
type Interval struct{ Low, High float64 }

// noInterval marks an undefined interval.
var noInterval = Interval{Low: math.NaN(), High: math.NaN()}
