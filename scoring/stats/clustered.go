package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Unit is one of a population, of which the mean of a truth from 0 to 1 is asked for.
type Unit struct {
	Cluster   int // from 0; units of one number hang together
	Predicted float64
	Truth     float64
	Weight    float64 // 1 over the probability with which it was chosen to be labelled; 0 where its truth is not known
}

// Clustered estimates the mean of truth as [PredictionPowered] does, for units that hang together in clusters, and
// labels drawn with known probabilities. The weight of the predictions is at most most: with 0 it is the mean of the
// labels alone. The interval is of Student's t with the jackknife variance between clusters of what each adds to the
// estimate, and as many degrees of freedom as clusters of one weight would have; one unit of each largest error is
// let in beside those seen, or where units hang together what an ordinary cluster of them is worth.
//
// Sources: Angelopoulos, Duchi and Zrnic, arXiv 2311.01453; Särndal, Swensson and Wretman, Model Assisted Survey
// Sampling (1992), §6.6 for the weights; Liang and Zeger, Biometrika 73 (1986) for the clusters.
func Clustered(units []Unit, most, level float64) Powered {
	var truth, of, weights, all []float64
	total := 0.0
	for _, u := range units {
		all = append(all, u.Predicted)
		if u.Weight > 0 {
			truth = append(truth, u.Truth)
			of = append(of, u.Predicted)
			weights = append(weights, u.Weight)
			total += u.Weight
		}
	}
	n, m := float64(len(truth)), float64(len(all))
	if n < 2 {
		return Powered{Estimate: Estimate{math.NaN(), noInterval}}
	}
	p := Powered{Spread: stat.Variance(all, nil)}
	if spread := stat.Variance(of, weights); spread > 0 {
		p.Weight = min(most, max(0, stat.Covariance(truth, of, weights)/spread))
	}
	errors := make([]float64, len(truth))
	for i, y := range truth {
		errors[i] = y - p.Weight*of[i]
	}
	predicted, mean := stat.Mean(all, nil), stat.Mean(errors, weights)
	type share struct {
		labelled, rest float64
		weight, units  float64 // of those with a label
		seen           bool
	}
	var shares []share // of each cluster in the estimate
	for _, u := range units {
		for u.Cluster >= len(shares) {
			shares = append(shares, share{})
		}
		if u.Weight > 0 {
			shares[u.Cluster].weight += u.Weight
			shares[u.Cluster].units++
		}
	}
	squares, together := 0.0, 0.0 // of what clusters weigh; units that a unit's cluster has
	for _, of := range shares {
		squares, together = squares+of.weight*of.weight, together+of.units*of.units/n
	}
	each := total / n * (1 + (together-1)*guessedCorrelation) // what is let in weighs
	center := (total*mean + each*(1-p.Weight)) / (total + 2*each)
	i := 0
	for _, u := range units {
		of := &shares[u.Cluster]
		of.rest += p.Weight * (u.Predicted - predicted) / m
		if u.Weight > 0 {
			of.labelled += u.Weight * (errors[i] - center) / total
			of.seen = true
			i++
		}
	}
	sum := 0.0
	own := 0.0
	clusters := 0.0
	for _, of := range shares {
		if of.weight < total {
			of.labelled /= 1 - of.weight/total
		}
		sum += (of.labelled + of.rest) * (of.labelled + of.rest)
		own += of.labelled * of.labelled
		if of.seen {
			clusters++
		}
	}
	if clusters < 2 {
		p.Mean, p.Interval = min(1, max(0, p.Weight*predicted+mean)), Interval{0, 1}
		return p
	}
	ends := each * each / (total * total) * ((-p.Weight-center)*(-p.Weight-center) + (1-center)*(1-center))
	scale := (clusters - 1) / clusters
	p.Residual = n * scale * (own + ends)
	half := student(level, math.Max(1, total*total/squares-1)) * math.Sqrt(scale*sum+ends)
	p.Mean = min(1, max(0, p.Weight*predicted+mean))
	p.Interval = Interval{
		min(p.Mean, max(0, p.Weight*predicted+center-half)),
		max(p.Mean, min(1, p.Weight*predicted+center+half)),
	}
	return p
}
