package scoring

// Table2x2 counts the units that two runs, A and B, both judged, by the runs that are right on them.
type Table2x2 struct {
	Both    int `json:"both"`    // units on which both runs are right
	OnlyA   int `json:"only_a"`  // units on which run A alone is right
	OnlyB   int `json:"only_b"`  // units on which run B alone is right
	Neither int `json:"neither"` // units on which neither run is right
}

// N returns the number of units in the table.
func (t *Table2x2) N() int { return t.Both + t.OnlyA + t.OnlyB + t.Neither }

// AddUnits adds so many units (often): a and b report whether run A and run B are right on them.
func (t *Table2x2) AddUnits(a, b bool, often int) {
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
