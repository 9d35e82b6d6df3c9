// Package trials has what tests of many packages share: how many trials they make, few in go test ./... and all in
// scripts/check.sh, and a runner for files of cases.
package trials

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// Times is how often a test tries what chance decides: n times by day, three times as often with GAVEL_TEST_NIGHTLY,
// and GAVEL_TRIALS times as often where that is set.
func Times(n int) int {
	if more, err := strconv.Atoi(os.Getenv("GAVEL_TRIALS")); err == nil && more > 0 {
		return n * more
	}
	if os.Getenv("GAVEL_TEST_NIGHTLY") != "" {
		return n * 3
	}
	return n
}

// Long leaves out a test, or a part of one, that takes seconds and hardly ever finds what the others do not. The whole
// check makes it, and so does whoever says how often to try.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long: GAVEL_TEST_LONG=1 and scripts/check.sh make it")
	}
}

// All tells whether the long parts are made too.
func All() bool {
	return slices.ContainsFunc([]string{"GAVEL_TEST_LONG", "GAVEL_TEST_NIGHTLY", "GAVEL_TRIALS"}, func(name string) bool {
		return os.Getenv(name) != ""
	})
}
