package scoring

// Partitioner is a scorer that assigns each of its units, such as pairs, one outcome, such as right, wrong or tie.
type Partitioner interface {
	// UnitOutcome returns the outcome of a unit, one of those given to [Register]; "" for a unit that does not count, such
	// as one without a label.
	UnitOutcome(u Unit) string
}

// countOutcomes counts the units by outcome, over all units and in every group; groups without an outcome are left out.
func (s *Sheet) countOutcomes(p Partitioner) (all []Breakdown) {
	for _, in := range s.sections(s.Units) {
		if b := s.breakdownOf(in.name, in.filter(s.Units), p); b.N > 0 {
			all = append(all, b)
		}
	}
	return all
}

// breakdownOf counts how many units of a group have each outcome, as p assigns them.
func (s *Sheet) breakdownOf(group string, units []Unit, p Partitioner) Breakdown {
	count := map[string]int{}
	b := Breakdown{Group: group}
	for _, u := range units {
		if part := p.UnitOutcome(u); part != "" {
			count[part]++
			b.N++
		}
	}
	for _, name := range unitOutcomes[s.protocol] {
		if count[name] > 0 {
			b.Parts = append(b.Parts, OutcomePart{Name: name, N: count[name]})
		}
	}
	return b
}
