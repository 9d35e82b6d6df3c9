// Package trials has helpers for the tests of many packages: it sets the number of random trials, few in go test ./...
// and all in scripts/check.sh, and runs test cases from files.
package trials

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// TrialCount returns the number of trials that a random test should run: n by default, 3n with GAVEL_TEST_NIGHTLY, and
// GAVEL_TRIALS times n if that is set.
func TrialCount(n int) int {
	if more, err := strconv.Atoi(os.Getenv("GAVEL_TRIALS")); err == nil && more > 0 {
		return n * more
	}
	if os.Getenv("GAVEL_TEST_NIGHTLY") != "" {
		return n * 3
	}
	return n
}

// SkipUnlessSlowTests skips a test, or a part of one, that takes seconds and rarely finds more than the others, unless [RunsSlowTests] is true.
func SkipUnlessSlowTests(t testing.TB) {
	t.Helper()
	if !RunsSlowTests() {
		t.Skip("slow: run with GAVEL_TEST_LONG=1 or scripts/check.sh")
	}
}

// RunsSlowTests reports whether the slow parts of tests run too: with GAVEL_TEST_LONG, GAVEL_TEST_NIGHTLY or GAVEL_TRIALS in the
// environment.
func RunsSlowTests() bool {
	return slices.ContainsFunc([]string{"GAVEL_TEST_LONG", "GAVEL_TEST_NIGHTLY", "GAVEL_TRIALS"}, func(name string) bool {
		return os.Getenv(name) != ""
	})
}
