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

// SkipUnlessSlowTests skips a test, or a part of one, unless [RunsSlowTests] is true. It is for those that take seconds
// and rarely find more than the others.
func SkipUnlessSlowTests(t testing.TB) {
	t.Helper()
	if !RunsSlowTests() {
		t.Skip("slow: run with GAVEL_TEST_LONG=1 or scripts/check.sh")
	}
}

// RunsSlowTests reports whether slow tests run too: with GAVEL_TEST_LONG, GAVEL_TEST_NIGHTLY or GAVEL_TRIALS set.
func RunsSlowTests() bool {
	return slices.ContainsFunc([]string{"GAVEL_TEST_LONG", "GAVEL_TEST_NIGHTLY", "GAVEL_TRIALS"}, func(name string) bool {
		return os.Getenv(name) != ""
	})
}
