package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Annotator is how a judge does beside one of several people, by what the others of them say.
type Annotator struct {
	Units     int     // that this person, the judge and somebody else rated
	Judge     float64 // share of them on which the judge agrees with the others at least as often
	Person    float64 // share of them on which the person does
	P         float64 // of the hypothesis that the judge is worse by ε or more; NaN with too few units
	Surpassed bool    // it is rejected
}

// Alternative says whether a judge may stand in for people.
type Alternative struct {
	People []Annotator
	// Winning is the share of people that the judge surpasses (ω): at ½ or more it may stand in for them. Advantage
	// is the mean of Judge over them (ρ).
	Winning, Advantage float64
}

// LeastUnits is how many units a person has to have rated to be tested.
const LeastUnits = 30

// AltTest is the alternative annotator test. judge[i] and people[j][i] are the categories that unit i was given, −1
// where none was. Each person in turn is left out, and the judge is held against this person by how many of the
// others agree with it; ε is what a person costs more than the judge, in shares. Of people with fewer than
// LeastUnits nothing is said, and they do not count. The false discovery rate is held to level by the method of
// Benjamini and Yekutieli.
//
// Source: Calderon, Reichart and Dror, arXiv 2501.10970, Section 3; Benjamini and Yekutieli, Annals
// of Statistics 29 (2001).
func AltTest(judge []int, people [][]int, epsilon, level float64) Alternative {
	var all Alternative
	var tested []int
	var p []float64
	for j := range people {
		a := besideOthers(judge, people, j, epsilon)
		all.People = append(all.People, a)
		if !math.IsNaN(a.P) {
			tested, p = append(tested, j), append(p, a.P)
		}
	}
	if len(tested) == 0 {
		all.Winning, all.Advantage = math.NaN(), math.NaN()
		return all
	}
	for i, rejected := range falseDiscovery(p, level) {
		a := &all.People[tested[i]]
		a.Surpassed = rejected
		if rejected {
			all.Winning += 1 / float64(len(tested))
		}
		all.Advantage += a.Judge / float64(len(tested))
	}
	return all
}

// besideOthers holds the judge against person j.
func besideOthers(judge []int, people [][]int, j int, epsilon float64) Annotator {
	a := Annotator{P: math.NaN()}
	var differences []float64
	for i, said := range judge {
		own := people[j][i]
		if said < 0 || own < 0 {
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
			if other[i] == said {
				withJudge++
			}
			if other[i] == own {
				withPerson++
			}
		}
		if others == 0 {
			continue
		}
		difference := 0.0
		switch {
		case withJudge > withPerson:
			a.Judge++
			difference = -1
		case withJudge < withPerson:
			a.Person++
			difference = 1
		default:
			a.Judge++
			a.Person++
		}
		differences = append(differences, difference)
	}
	a.Units = len(differences)
	a.Judge, a.Person = a.Judge/float64(a.Units), a.Person/float64(a.Units)
	if a.Units < LeastUnits {
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

// falseDiscovery tells which hypotheses are rejected, whatever the dependence between them.
func falseDiscovery(p []float64, level float64) []bool {
	order, harmonic := ascending(p), 0.0
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
