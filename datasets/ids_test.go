package datasets

import (
	"fmt"
	"strings"
	"testing"
)

func TestIDs(t *testing.T) {
	var ids IDs
	if _, ok := ids.Find("a"); ok || ids.Len() != 0 {
		t.Error("the empty set has an id")
	}
	name := func(i int) string { return strings.Repeat("x", i%7) + fmt.Sprint(i/2) + "é"[:i%2*2] } // lengths differ, one is a prefix of the next
	const n = 3*1024 + 5
	for i := range n {
		if got, added := ids.Add(name(i)); got != i || !added {
			t.Fatalf("%q is number %d, added %v", name(i), got, added)
		}
		if got, added := ids.Add(name(i / 2)); got != i/2 || added {
			t.Fatalf("%q again: number %d, added %v", name(i/2), got, added)
		}
	}
	for i := range n {
		if got, ok := ids.Find(name(i)); ids.At(i) != name(i) || got != i || !ok {
			t.Fatalf("number %d is %q, want %q, which is found as %d, %v", i, ids.At(i), name(i), got, ok)
		}
	}
	if _, ok := ids.Find("nobody"); ok || ids.Len() != n {
		t.Errorf("%d ids, want %d", ids.Len(), n)
	}
}

func TestIDsMayBeEmpty(t *testing.T) {
	var ids IDs
	for range 2 {
		if n, _ := ids.Add(""); n != 0 {
			t.Errorf("number %d", n)
		}
	}
	if n, ok := ids.Find(""); n != 0 || !ok || ids.At(0) != "" {
		t.Errorf("number %d, %v", n, ok)
	}
}
