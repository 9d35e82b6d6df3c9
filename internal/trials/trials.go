// Package trials has helpers for tests of many packages: the number of random trials, few in go test ./... and all in
// scripts/check.sh, and a runner for files of cases.
package trials

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// Times returns the number of trials of a random test: n by default, 3n with GAVEL_TEST_NIGHTLY, and GAVEL_TRIALS times
// n if that is set.
func Times(n int) int {
	if more, err := strconv.Atoi(os.Getenv("GAVEL_TRIALS")); err == nil && more > 0 {
		return n * more
	}
	if os.Getenv("GAVEL_TEST_NIGHTLY") != "" {
		return n * 3
	}
	return n
}

// Long skips a test, or a part of one, that takes seconds and rarely finds more than the others. The whole check runs
// it, and so does any setting of the number of trials.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("slow: run with GAVEL_TEST_LONG=1 or scripts/check.sh")
	}
}

// All reports whether long parts run too.
func All() bool {
	return slices.ContainsFunc([]string{"GAVEL_TEST_LONG", "GAVEL_TEST_NIGHTLY", "GAVEL_TRIALS"}, func(name string) bool {
		return os.Getenv(name) != ""
	})
}
