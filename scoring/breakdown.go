package scoring

import "slices"

// Breakdown says what became of the units of a group: each is in one part.
type Breakdown struct {
	Group string `json:"group"` // as in `results`
	N     int    `json:"n"`     // units
	Parts []Part `json:"parts"` // those that hold a unit
}

// Part is a kind of end that units come to.
type Part struct {
	Name string `json:"part"` // of pairs: `right`, `wrong`, `tie`, `first`, `second` or `missing`
	N    int    `json:"n"`    // units
}

// Count of the units in a part.
func (b Breakdown) Count(part string) int {
	if i := slices.IndexFunc(b.Parts, func(p Part) bool { return p.Name == part }); i >= 0 {
		return b.Parts[i].N
	}
	return 0
}

// Parter is a scorer that tells what became of its units.
type Parter interface {
	// Parts are the names of the ends that units come to, in their order.
	Parts() []string
	// Part that a unit is in; "" of one that is left out, as without a label.
	Part(u Unit) string
}

// breakdowns returns the units of every group by their parts; none of a group without any.
func (s *Sheet) breakdowns(p Parter) (all []Breakdown) {
	for _, in := range s.sections(s.Units) {
		if b := breakdownOf(in.name, in.of(s.Units), p); b.N > 0 {
			all = append(all, b)
		}
	}
	return all
}

// breakdownOf counts the units of a group by their parts.
func breakdownOf(group string, units []Unit, p Parter) Breakdown {
	count := map[string]int{}
	b := Breakdown{Group: group}
	for _, u := range units {
		if part := p.Part(u); part != "" {
			count[part]++
			b.N++
		}
	}
	for _, name := range p.Parts() {
		if count[name] > 0 {
			b.Parts = append(b.Parts, Part{Name: name, N: count[name]})
		}
	}
	return b
}
