package stats

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Annotator compares a judge with one person who labels units, using the labels of the other people as the reference.
type Annotator struct {
	Units           int     // units rated by this person, by the judge and by somebody else
	JudgeAdvantage  float64 // share of the units on which the judge agrees with the others at least as often as the person
	PersonAdvantage float64 // share of the units on which the person agrees with the others at least as often as the judge
	P               float64 // p-value of "the judge is worse by ε or more"; NaN below AltTestMinUnits units
	LosesToJudge    bool    // the test rejects "the judge is worse by ε or more"
}

// AltTestResult holds the result of the alternative annotator test: whether a judge may replace people.
type AltTestResult struct {
	People []Annotator // each person against the judge
	// Winning (ω) is the share of tested people that the judge surpasses; at ½ or more the judge may replace people.
	// Advantage (ρ) is the mean of Annotator.JudgeAdvantage over the tested people. Both are NaN if no one was tested.
	Winning, Advantage float64
}

// AltTestMinUnits is the number of units that a person must have labelled for [AltTest] to test them.
const AltTestMinUnits = 30

// AltTest runs the alternative annotator test. judge[i] and people[j][i] are the categories given to unit i, −1 for
// none. Each person in turn is left out: the test compares the judge and this person by how many of the other people
// agree with each. ε is the cost advantage of the judge, as a share. People with fewer than AltTestMinUnits units are
// not tested and do not count. The method of Benjamini and Yekutieli keeps the false discovery rate at or below level.
//
// Source: Calderon, Reichart and Dror, arXiv 2501.10970, Section 3; Benjamini and Yekutieli, Annals
// of Statistics 29 (2001).
func AltTest(judge []int, people [][]int, epsilon, level float64) AltTestResult {
	var all AltTestResult
	var tested []int
	var p []float64
	for j := range people {
		a := compareWithPerson(judge, people, j, epsilon)
		all.People = append(all.People, a)
		if !math.IsNaN(a.P) {
			tested, p = append(tested, j), append(p, a.P)
		}
	}
	if len(tested) == 0 {
		all.Winning, all.Advantage = math.NaN(), math.NaN()
		return all
	}
	for i, rejected := range rejectFalseDiscovery(p, level) {
		a := &all.People[tested[i]]
		a.LosesToJudge = rejected
		if rejected {
			all.Winning += 1 / float64(len(tested))
		}
		all.Advantage += a.JudgeAdvantage / float64(len(tested))
	}
	return all
}

// compareWithPerson compares the judge with person j; arguments are those of [AltTest].
func compareWithPerson(judge []int, people [][]int, j int, epsilon float64) Annotator {
	a := Annotator{P: math.NaN()}
	var differences []float64
	for i, judgeCategory := range judge {
		personCategory := people[j][i]
		if judgeCategory < 0 || personCategory < 0 {
			continue
		}
		others := 0
		withJudge := 0
		withPerson := 0
		for k, other := range people {
			if k == j || other[i] < 0 {
				continue
			}
			others++
			if other[i] == judgeCategory {
				withJudge++
			}
			if other[i] == personCategory {
				withPerson++
			}
		}
		if others == 0 {
			continue
		}
		a.JudgeAdvantage += indicator(withJudge >= withPerson)
		a.PersonAdvantage += indicator(withPerson >= withJudge)
		differences = append(differences, float64(cmp.Compare(withPerson, withJudge)))
	}
	a.Units = len(differences)
	a.JudgeAdvantage, a.PersonAdvantage = a.JudgeAdvantage/float64(a.Units), a.PersonAdvantage/float64(a.Units)
	if a.Units < AltTestMinUnits {
		return a
	}
	n := float64(a.Units)
	mean, deviation := stat.MeanStdDev(differences, nil)
	switch {
	case deviation > 0:
		a.P = distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF((mean - epsilon) / deviation * math.Sqrt(n))
	case mean < epsilon:
		a.P = 0
	default:
		a.P = 1
	}
	return a
}

// rejectFalseDiscovery reports by index which of the hypotheses with these p-values are rejected, at a false discovery
// rate of at most level. It allows any dependence between them.
func rejectFalseDiscovery(p []float64, level float64) []bool {
	order, harmonic := ascendingIndexes(p), 0.0
	for i := range p {
		harmonic += 1 / float64(i+1)
	}
	rejected := make([]bool, len(p))
	for rank := len(order) - 1; rank >= 0; rank-- {
		if p[order[rank]] <= level*float64(rank+1)/(float64(len(p))*harmonic) {
			for _, i := range order[:rank+1] {
				rejected[i] = true
			}
			break
		}
	}
	return rejected
}
