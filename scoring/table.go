package scoring

// Table2x2 counts units by the runs that are right on them.
type Table2x2 struct {
	Both    int `json:"both"`    // right in both
	OnlyA   int `json:"only_a"`  // right in A alone
	OnlyB   int `json:"only_b"`  // right in B alone
	Neither int `json:"neither"` // right in neither
}

// N returns the number of units in the table.
func (t *Table2x2) N() int { return t.Both + t.OnlyA + t.OnlyB + t.Neither }

// Count adds units that are right in A or not, and in B or not.
func (t *Table2x2) Count(a, b bool, often int) {
	switch {
	case a && b:
		t.Both += often
	case a:
		t.OnlyA += often
	case b:
		t.OnlyB += often
	default:
		t.Neither += often
	}
}
