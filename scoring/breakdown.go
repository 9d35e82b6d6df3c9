package scoring

// Parter is a scorer that tells what became of its units.
type Parter interface {
	// Part that a unit is in, one of those that are registered; "" of one that is left out, as without a label.
	Part(u Unit) string
}

// breakdowns returns the units of every group by their parts; none of a group without any.
func (s *Sheet) breakdowns(p Parter) (all []Breakdown) {
	for _, in := range s.sections(s.Units) {
		if b := s.breakdownOf(in.name, in.of(s.Units), p); b.N > 0 {
			all = append(all, b)
		}
	}
	return all
}

// breakdownOf counts the units of a group by their parts.
func (s *Sheet) breakdownOf(group string, units []Unit, p Parter) Breakdown {
	count := map[string]int{}
	b := Breakdown{Group: group}
	for _, u := range units {
		if part := p.Part(u); part != "" {
			count[part]++
			b.N++
		}
	}
	for _, name := range parts[s.protocol] {
		if count[name] > 0 {
			b.Parts = append(b.Parts, Part{Name: name, N: count[name]})
		}
	}
	return b
}
