package coverage

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gavel/datasets"
	"gavel/judging"
	_ "gavel/protocols"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// world is a population of which everything is known: what its units may come to, and how often each does. A
// run of it is scored as any run is; what its numbers are in truth is what the code says of all units, each
// as often as it should be.
type world struct {
	name     string
	protocol string
	manifest func(*judging.Manifest)
	// units are what a judge of a strength comes to.
	units func(strength float64) []unit
	// agents is how many answers of agents a question has.
	agents int
	// compared is by how much of what its strength lacks a judge is worse that it is compared with; NaN: it is with none.
	compared float64
}

// unit is a kind of pair, question, judgment or item. Units of one cluster may be alike; of several agents' answers
// to one question those with the same key are of one kind of question.
type unit struct {
	weight  float64
	key     int
	number  int
	gold    int // what is right: units of two runs agree on it
	records func(of place, agent string) []*judging.Record
}

// place is where a unit stands in a run: MT-Bench's items say by their ids what belongs together.
type place struct{ id, source string }

// alikeAgents is how likely it is that an agent's answer to a question comes to what the first agent's does.
const alikeAgents = 0.1

// clustering is how many clusters a run has, and of how many units. Each unit is what its cluster draws with a
// probability of √alike, and else its own draw: so alike is the correlation of every two units of a cluster, and
// every share stays as it is.
type clustering struct {
	clusters, each int
	alike          float64
}

// separate are so many units that are not alike.
func separate(units int) clustering { return clustering{clusters: units, each: 1} }

func (c clustering) String() string {
	if c.each == 1 {
		return fmt.Sprint(c.clusters)
	}
	return fmt.Sprintf("%d × %d, ρ %g", c.clusters, c.each, c.alike)
}

// draw is a run of the world and, where it is compared, one of another judge, which comes to the like of the
// first on two units of three.
func (w world) draw(rng *rand.Rand, units, others []unit, c clustering) (records, other []*judging.Record) {
	all := newPicker(units)
	byKey := map[int]*picker{}
	byGold := [2]map[int]*picker{{}, {}}
	for i := range c.clusters {
		shared := rng.Float64()
		for k := range c.each {
			x := shared
			if c.each > 1 && rng.Float64() >= math.Sqrt(c.alike) {
				x = rng.Float64()
			}
			u := all.at(x)
			at := place{id: fmt.Sprintf("%04d:1:a:%d", i, k)}
			if c.each > 1 {
				at.source = "mt-bench"
			}
			for a := range max(1, w.agents) {
				of := u
				if a > 0 && rng.Float64() >= alikeAgents {
					of = under(byKey, units, func(v unit) int { return v.key }, u.key).at(rng.Float64())
				}
				records = append(records, of.records(at, fmt.Sprint(a))...)
			}
			if others != nil {
				gold := func(v unit) int { return v.gold }
				y := under(byGold[0], units, gold, u.gold).where(u, rng)
				if rng.Float64() < 1.0/3 {
					y = rng.Float64()
				}
				other = append(other, under(byGold[1], others, gold, u.gold).at(y).records(at, "a")...)
			}
		}
	}
	return records, other
}

// under are the units of a key.
func under(known map[int]*picker, units []unit, of func(unit) int, key int) *picker {
	if known[key] == nil {
		var list []unit
		for _, u := range units {
			if of(u) == key {
				list = append(list, u)
			}
		}
		known[key] = newPicker(list)
	}
	return known[key]
}

// picker finds units by their weights.
type picker struct {
	units []unit
	upTo  []float64
}

func newPicker(units []unit) *picker {
	p := &picker{units: units}
	sum := 0.0
	for _, u := range units {
		sum += u.weight
		p.upTo = append(p.upTo, sum)
	}
	return p
}

// at is the unit at a share of all weights.
func (p *picker) at(x float64) unit {
	for i, at := range p.upTo {
		if x*p.upTo[len(p.upTo)-1] < at {
			return p.units[i]
		}
	}
	return p.units[len(p.units)-1]
}

// where is a share of all weights at which a unit is.
func (p *picker) where(u unit, rng *rand.Rand) float64 {
	for i, v := range p.units {
		if v.number == u.number {
			return (p.upTo[i] - rng.Float64()*v.weight) / p.upTo[len(p.upTo)-1]
		}
	}
	panic("no such unit")
}

// whole is how many units stand for all of them.
const whole = 20000

// everything is the run of all units, each as often as its weight says.
func everything(units []unit) []*judging.Record {
	var records []*judging.Record
	sum, given := 0.0, 0
	for _, u := range units {
		sum += u.weight * whole
		for ; given < int(math.Round(sum)); given++ {
			records = append(records, u.records(place{id: fmt.Sprint(given)}, "")...)
		}
	}
	return records
}

// run is a run of records.
func (w world) run(records []*judging.Record) *scoring.Run {
	protocol, err := judging.ProtocolNamed(w.protocol)
	if err != nil {
		panic(err)
	}
	m := judging.NewManifest("coverage", judging.Spec{
		Protocol: w.protocol, Prompt: protocol.Templates[0], Model: judging.ModelSpec{Name: "judge"},
		Goal: protocol.Goal, Dataset: judging.DatasetSpec{Items: len(records)},
	})
	if w.manifest != nil {
		w.manifest(m)
	}
	load, err := scoring.NewLoader(m, judging.Reading{Policy: judging.Unique})
	if err != nil {
		panic(err)
	}
	for _, r := range records {
		if err := load.Add(r); err != nil {
			panic(err)
		}
	}
	return load.Run()
}

var worlds = []world{
	{name: "pairs", protocol: "pairwise", units: pairUnits, compared: 0.4},
	{name: "reference", protocol: "pairwise", units: referenceUnits, compared: math.NaN()},
	{name: "calibration", protocol: "pairwise", units: confidentUnits, compared: math.NaN()},
	{
		name:     "repeats",
		protocol: "pairwise",
		units:    repeatedUnits,
		compared: math.NaN(),
		manifest: func(m *judging.Manifest) { m.Spec.Parameters.NumRepetitions = 3 },
	},
	{name: "answers", protocol: "answer", units: answerUnits, compared: 0.4},
	{name: "judgments", protocol: "self-reference", units: judgmentUnits},
	{name: "judgments of 3 agents", protocol: "self-reference", units: judgmentUnits, agents: 3, compared: math.NaN()},
	{name: "options", protocol: "multi-option", units: optionUnits, compared: 0.4},
	{name: "two options", protocol: "multi-option", units: twoOptionUnits, compared: 0.4},
}

// judgments is a pair whose two judgments name these: A, which is right, B, or nobody.
func pairOf(weight float64, first, second string) unit { return pair(weight, nil, first, second) }

func pair(weight float64, own *datasets.Answer, choices ...string) unit {
	return unit{weight: weight, records: func(of place, _ string) (records []*judging.Record) {
		for i, choice := range choices {
			records = append(records, told(of, judging.Record{
				Gold:          "A",
				Own:           own,
				Presentation:  i % 2,
				Presentations: 2,
				Repetition:    i / 2,
				Order:         orders[i%2],
				Choice:        choice,
			}))
		}
		return records
	}}
}

var orders = [][]string{{"A", "B"}, {"B", "A"}}

// pairUnits are right in both judgments in a share that is the strength; of the others most follow the position.
func pairUnits(p float64) []unit {
	q := 1 - p
	return []unit{
		pairOf(p, "A", "A"), pairOf(0.45*q, "A", "B"), pairOf(0.2*q, "B", "A"), pairOf(0.25*q, "B", "B"),
		pairOf(0.05*q, "A", ""), pairOf(0.05*q, "", "A"),
	}
}

// referenceUnits are judged with the judge's own answer, which is right in a share that is the strength.
func referenceUnits(p float64) (units []unit) {
	for _, right := range []bool{true, false} {
		own, strict := p, 0.3+0.6*p
		if !right {
			own, strict = 1-p, 0.5*p
		}
		answer := &datasets.Answer{Right: right}
		units = append(units, pair(own*strict, answer, "A", "A"), pair(own*(1-strict)/2, answer, "B", "B"),
			pair(own*(1-strict)/2, answer, "A", "B"))
	}
	return units
}

// repeatedUnits are asked three times, and come to the same in a share that is the strength.
func repeatedUnits(p float64) []unit {
	same, other := []string{"A", "A", "A", "A", "A", "A"}, []string{"A", "A", "A", "A", "B", "A"}
	both := []string{"A", "B", "B", "A", "A", "B"}
	return []unit{pair(p, nil, same...), pair((1-p)/2, nil, other...), pair((1-p)/2, nil, both...)}
}

// confidences of a judge, each as often as another.
var confidences = []float64{0.58, 0.67, 0.76, 0.85, 0.93, 0.98}

// confidentUnits are right as often as the judge is sure, less what the strength lacks of 1.
func confidentUnits(strength float64) (units []unit) {
	n := float64(len(confidences))
	for _, p := range confidences {
		for _, q := range confidences {
			for k := range 4 {
				weight, choices := 1/n/n, [2]string{"A", "A"}
				for i, c := range []float64{p, q} {
					right := c * strength
					if k>>i&1 == 1 {
						right, choices[i] = 1-right, "B"
					}
					weight *= right
				}
				units = append(units, sure(weight, choices, [2]float64{p, q}))
			}
		}
	}
	return units
}

func sure(weight float64, choices [2]string, p [2]float64) unit {
	u := pairOf(weight, choices[0], choices[1])
	plain := u.records
	u.records = func(of place, agent string) []*judging.Record {
		records := plain(of, agent)
		for i, r := range records {
			label, other := "A>B", "B>A"
			if r.Order[0] != choices[i] {
				label, other = other, label
			}
			r.Probabilities = []judging.Probability{
				{Label: "[[" + label + "]]", P: p[i]},
				{Label: "[[" + other + "]]", P: 1 - p[i]},
			}
		}
		return records
	}
	return u
}

// answerUnits are right in a share that is the strength; of the others a third is not read.
func answerUnits(p float64) []unit {
	return []unit{answered(p, "A"), answered((1-p)*2/3, "B"), answered((1-p)/3, "")}
}

func answered(weight float64, choice string) unit {
	return unit{weight: weight, records: func(of place, _ string) []*judging.Record {
		return []*judging.Record{told(of, judging.Record{
			Shape:         datasets.Choice,
			Gold:          "A",
			Presentations: 1,
			Order:         []string{"A", "B", "C"},
			Choice:        choice,
		})}
	}}
}

// judgmentUnits are of a judge whose own answers, and whose judgments where they are right, are right in a share
// that is about the strength.
func judgmentUnits(p float64) (units []unit) {
	share := func(is bool, p float64) float64 { return map[bool]float64{true: p, false: 1 - p}[is] }
	for k := range 16 {
		own := k&1 > 0
		agent := k&2 > 0
		cot := k&4 > 0
		self := k&8 > 0
		weight := share(own, p)
		if own {
			weight *= share(agent, 0.7) * share(cot, p+(1-p)/4) * share(self, p+(1-p)/2)
		} else {
			weight *= share(agent, 0.45) * share(cot, 0.8*p+0.05) * share(self, 0.7*p)
		}
		units = append(units, unit{weight: weight, key: k & 1, gold: k & 2, records: judgments(own, agent, cot, self)})
	}
	return units
}

func judgments(own, right, cot, self bool) func(place, string) []*judging.Record {
	word := map[bool]string{true: "Correct", false: "Incorrect"}
	return func(of place, agent string) (records []*judging.Record) {
		for i, judged := range []bool{cot, self} {
			r := told(of, judging.Record{
				Shape:         datasets.Judgment,
				Mode:          []string{selfreference.ModeCoT, selfreference.ModeSelf}[i],
				Presentation:  i,
				Presentations: 2,
				Order:         []string{"Correct", "Incorrect"},
				Gold:          word[right],
				Choice:        word[right == judged],
				Own:           &datasets.Answer{Right: own},
			})
			r.Item, r.Question = of.id+" "+agent, of.id
			records = append(records, r)
		}
		return records
	}
}

// optionUnits are items of two to four options. The judge names the right one in every order in a share that is the
// strength; else mostly what stands first.
func optionUnits(p float64) (units []unit) {
	for n := 2; n <= 4; n++ {
		units = append(units, chosen(n, 0.9*p/3, always(n, 0)), chosen(n, 0.1*p/3, always(n, 1)))
		first := make([]int, n)
		wavers := always(n, 0)
		silent := always(n, 0)
		for i := range first {
			first[i] = i // what stands first in the i-th order
		}
		wavers[n-1], silent[0] = 1, judging.Nobody
		q := (1 - p) / 3
		units = append(units, chosen(n, 0.6*q, first), chosen(n, 0.25*q, wavers), chosen(n, 0.15*q, silent))
	}
	return units
}

// twoOptionUnits have two options, and one of two outcomes.
func twoOptionUnits(p float64) []unit {
	return []unit{chosen(2, p, always(2, 0)), chosen(2, 1-p, []int{0, 1})}
}

func always(n, option int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = option
	}
	return out
}

// chosen is an item by the option that is named in each order, of which the i-th begins with the i-th.
func chosen(n int, weight float64, options []int) unit {
	ids := []string{"01", "02", "03", "04"}[:n]
	return unit{weight: weight, records: func(of place, _ string) (records []*judging.Record) {
		for i, option := range options {
			r := judging.Record{
				Shape:         datasets.Options,
				Gold:          ids[0],
				Presentation:  i,
				Presentations: n,
				Order:         append(append([]string{}, ids[i:]...), ids[:i]...),
			}
			if option != judging.Nobody {
				r.Choice = ids[option]
			}
			records = append(records, told(of, r))
		}
		return records
	}}
}

// told is a record whose verdict stands as it is.
func told(of place, r judging.Record) *judging.Record {
	r.Schema = 1
	r.Item = of.id
	r.Source = of.source
	r.Imported = &judging.Imported{Stored: true}
	r.Outcome = judging.NoVerdict
	if r.Choice != "" {
		r.Outcome = judging.Decided
	}
	return &r
}
