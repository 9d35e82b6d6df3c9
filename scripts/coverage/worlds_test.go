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

// world is a population with known probabilities: all possible outcomes of a unit with their weights. A run of it is
// scored like any other. Its true values are the scores of a run over all units with their weights.
type world struct {
	name     string
	protocol string
	manifest func(*judging.Manifest)
	// units returns the possible units of a judge with a given strength.
	units func(strength float64) []unit
	// agents is the number of agents' answers to a question.
	agents int
	// compared says how much weaker the second judge of a comparison is, as a share of what the strength lacks of 1;
	// NaN: no comparison.
	compared float64
}

// unit is a possible pair, question, judgment or item. Units of one cluster may be correlated. Of several agents'
// answers to one question, all have the same key, a kind of question.
type unit struct {
	weight  float64
	key     int
	number  int
	gold    int // the gold label, which the units of two runs share
	records func(position place, agent string) []*judging.Record
}

// place is the position of a unit in a run: the ids of MT-Bench's items show which belong together.
type place struct{ id, source string }

// alikeAgents is the probability that an agent's answer to a question equals the first agent's.
const alikeAgents = 0.1

// clustering holds the number of clusters in a run and of units in each. A unit takes its cluster's draw with
// probability √alike, and else its own draw. So alike is the correlation of any two units of a cluster, and all
// shares stay the same.
type clustering struct {
	clusters, each int
	alike          float64
}

// separate returns a clustering of independent units.
func separate(units int) clustering { return clustering{clusters: units, each: 1} }

func (c clustering) String() string {
	if c.each == 1 {
		return fmt.Sprint(c.clusters)
	}
	return fmt.Sprintf("%d × %d, ρ %g", c.clusters, c.each, c.alike)
}

// draw returns a run of the world and, for comparisons, one of another judge, which follows the first on two thirds of
// the units.
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
			u := all.unitAt(x)
			position := place{id: fmt.Sprintf("%04d:1:a:%d", i, k)}
			if c.each > 1 {
				position.source = "mt-bench"
			}
			for a := range max(1, w.agents) {
				answered := u
				if a > 0 && rng.Float64() >= alikeAgents {
					answered = pickerFor(byKey, units, func(v unit) int { return v.key }, u.key).unitAt(rng.Float64())
				}
				records = append(records, answered.records(position, fmt.Sprint(a))...)
			}
			if others != nil {
				gold := func(v unit) int { return v.gold }
				y := pickerFor(byGold[0], units, gold, u.gold).shareOf(u, rng)
				if rng.Float64() < 1.0/3 {
					y = rng.Float64()
				}
				other = append(other, pickerFor(byGold[1], others, gold, u.gold).unitAt(y).records(position, "a")...)
			}
		}
	}
	return records, other
}

// pickerFor returns the picker of the units with a key.
func pickerFor(pickers map[int]*picker, units []unit, keyOf func(unit) int, key int) *picker {
	if pickers[key] == nil {
		var list []unit
		for _, u := range units {
			if keyOf(u) == key {
				list = append(list, u)
			}
		}
		pickers[key] = newPicker(list)
	}
	return pickers[key]
}

// picker picks units by their weights.
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

// unitAt returns the unit at a share of all weights.
func (p *picker) unitAt(x float64) unit {
	for i, bound := range p.upTo {
		if x*p.upTo[len(p.upTo)-1] < bound {
			return p.units[i]
		}
	}
	return p.units[len(p.units)-1]
}

// shareOf returns a share of all weights that picks a unit.
func (p *picker) shareOf(u unit, rng *rand.Rand) float64 {
	for i, v := range p.units {
		if v.number == u.number {
			return (p.upTo[i] - rng.Float64()*v.weight) / p.upTo[len(p.upTo)-1]
		}
	}
	panic("no such unit")
}

// whole is the number of units that represent all.
const whole = 20000

// everything returns the run of all units, each as often as its weight says.
func everything(units []unit) []*judging.Record {
	var records []*judging.Record
	sum, count := 0.0, 0
	for _, u := range units {
		sum += u.weight * whole
		for ; count < int(math.Round(sum)); count++ {
			records = append(records, u.records(place{id: fmt.Sprint(count)}, "")...)
		}
	}
	return records
}

// run scores records as a run.
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
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
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

// pairOf returns a pair with two judgments: A, which is correct, B, or nobody.
func pairOf(weight float64, first, second string) unit { return pair(weight, nil, first, second) }

func pair(weight float64, answer *datasets.Answer, choices ...string) unit {
	return unit{weight: weight, records: func(position place, _ string) (records []*judging.Record) {
		for i, choice := range choices {
			records = append(records, newRecord(position, judging.Record{
				Gold:          "A",
				Own:           answer,
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

// pairUnits returns pairs of which a share equal to the strength is correct in both orders; most others follow the
// position.
func pairUnits(p float64) []unit {
	q := 1 - p
	return []unit{
		pairOf(p, "A", "A"), pairOf(0.45*q, "A", "B"), pairOf(0.2*q, "B", "A"), pairOf(0.25*q, "B", "B"),
		pairOf(0.05*q, "A", ""), pairOf(0.05*q, "", "A"),
	}
}

// referenceUnits returns pairs judged with the judge's own answer, which is correct in a share equal to the strength.
func referenceUnits(p float64) (units []unit) {
	for _, right := range []bool{true, false} {
		share, strict := p, 0.3+0.6*p
		if !right {
			share, strict = 1-p, 0.5*p
		}
		answer := &datasets.Answer{Right: right}
		units = append(units, pair(share*strict, answer, "A", "A"), pair(share*(1-strict)/2, answer, "B", "B"),
			pair(share*(1-strict)/2, answer, "A", "B"))
	}
	return units
}

// repeatedUnits returns pairs asked three times, consistent in a share equal to the strength.
func repeatedUnits(p float64) []unit {
	same, other := []string{"A", "A", "A", "A", "A", "A"}, []string{"A", "A", "A", "A", "B", "A"}
	both := []string{"A", "B", "B", "A", "A", "B"}
	return []unit{pair(p, nil, same...), pair((1-p)/2, nil, other...), pair((1-p)/2, nil, both...)}
}

// confidences lists the confidences of a judge, all equally frequent.
var confidences = []float64{0.58, 0.67, 0.76, 0.85, 0.93, 0.98}

// confidentUnits returns pairs that are correct as often as the judge is confident, times the strength.
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
	u.records = func(position place, agent string) []*judging.Record {
		records := plain(position, agent)
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

// answerUnits returns answers of which a share equal to the strength is correct; a third of the others cannot be read.
func answerUnits(p float64) []unit {
	return []unit{answered(p, "A"), answered((1-p)*2/3, "B"), answered((1-p)/3, "")}
}

func answered(weight float64, choice string) unit {
	return unit{weight: weight, records: func(position place, _ string) []*judging.Record {
		return []*judging.Record{newRecord(position, judging.Record{
			Shape:         datasets.ShapeChoice,
			Gold:          "A",
			Presentations: 1,
			Order:         []string{"A", "B", "C"},
			Choice:        choice,
		})}
	}}
}

// judgmentUnits returns judgments of a judge whose own answers, and whose judgments when these are correct, are correct
// in about a share equal to the strength.
func judgmentUnits(p float64) (units []unit) {
	share := func(yes bool, p float64) float64 { return map[bool]float64{true: p, false: 1 - p}[yes] }
	for k := range 16 {
		ownRight := k&1 > 0
		agent := k&2 > 0
		cot := k&4 > 0
		self := k&8 > 0
		weight := share(ownRight, p)
		if ownRight {
			weight *= share(agent, 0.7) * share(cot, p+(1-p)/4) * share(self, p+(1-p)/2)
		} else {
			weight *= share(agent, 0.45) * share(cot, 0.8*p+0.05) * share(self, 0.7*p)
		}
		units = append(units, unit{weight: weight, key: k & 1, gold: k & 2, records: judgments(ownRight, agent, cot, self)})
	}
	return units
}

func judgments(ownRight, right, cot, self bool) func(place, string) []*judging.Record {
	word := map[bool]string{true: "Correct", false: "Incorrect"}
	return func(position place, agent string) (records []*judging.Record) {
		for i, judged := range []bool{cot, self} {
			r := newRecord(position, judging.Record{
				Shape:         datasets.ShapeJudgment,
				Mode:          []string{selfreference.ModeCoT, selfreference.ModeSelf}[i],
				Presentation:  i,
				Presentations: 2,
				Order:         []string{"Correct", "Incorrect"},
				Gold:          word[right],
				Choice:        word[right == judged],
				Own:           &datasets.Answer{Right: ownRight},
			})
			r.Item, r.QuestionID = position.id+" "+agent, position.id
			records = append(records, r)
		}
		return records
	}
}

// optionUnits are items of two to four options. The judge names the right one in every order in a share that is the
// strength; else mostly what stands first.
func optionUnits(p float64) (units []unit) {
	for n := 2; n <= 4; n++ {
		units = append(units, choiceUnit(n, 0.9*p/3, always(n, 0)), choiceUnit(n, 0.1*p/3, always(n, 1)))
		first := make([]int, n)
		wavers := always(n, 0)
		silent := always(n, 0)
		for i := range first {
			first[i] = i // what stands first in the i-th order
		}
		wavers[n-1], silent[0] = 1, judging.NoCandidate
		q := (1 - p) / 3
		units = append(units, choiceUnit(n, 0.6*q, first), choiceUnit(n, 0.25*q, wavers), choiceUnit(n, 0.15*q, silent))
	}
	return units
}

// twoOptionUnits have two options, and one of two outcomes.
func twoOptionUnits(p float64) []unit {
	return []unit{choiceUnit(2, p, always(2, 0)), choiceUnit(2, 1-p, []int{0, 1})}
}

func always(n, option int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = option
	}
	return out
}

// choiceUnit returns an item by the option chosen in each order; the i-th order begins with option i.
func choiceUnit(n int, weight float64, options []int) unit {
	ids := []string{"01", "02", "03", "04"}[:n]
	return unit{weight: weight, records: func(position place, _ string) (records []*judging.Record) {
		for i, option := range options {
			r := judging.Record{
				Shape:         datasets.ShapeOptions,
				Gold:          ids[0],
				Presentation:  i,
				Presentations: n,
				Order:         append(append([]string{}, ids[i:]...), ids[:i]...),
			}
			if option != judging.NoCandidate {
				r.Choice = ids[option]
			}
			records = append(records, newRecord(position, r))
		}
		return records
	}}
}

// newRecord returns a record whose verdict is read as stored.
func newRecord(position place, r judging.Record) *judging.Record {
	r.Schema = 1
	r.Item = position.id
	r.Source = position.source
	r.Imported = &judging.ImportedFields{DecisionIsVerdict: true}
	r.Outcome = judging.NoVerdict
	if r.Choice != "" {
		r.Outcome = judging.Decided
	}
	return &r
}
