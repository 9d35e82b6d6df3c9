package scoring

import "testing"

func TestSameNumber(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1,450,000", "1450000.0", true},
		{"45.0", "45", true},
		{"-3", "-3.00", true},
		{"+3", "3", true},
		{".5", "0.50", true},
		{"5.", "5", true},
		{"$12", "12", true},
		{"12 %", "12", true},
		{"0.1", "0.10000000000000000001", false},
		{"45", "450", false},
		{"3", "-3", false},
		{"", "", false},
		{"1/2", "0.5", false},
		{"1e3", "1000", false},
		{"NaN", "NaN", false},
		{"x", "x", false},
	} {
		if sameNumber(c.a, c.b) != c.same || sameNumber(c.b, c.a) != c.same {
			t.Errorf("%q and %q: same is not %v", c.a, c.b, c.same)
		}
	}
}
