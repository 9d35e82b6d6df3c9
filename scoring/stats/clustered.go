package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// PopulationUnit holds one unit of a population whose mean truth, from 0 to 1, [PredictionPoweredClusters] estimates.
type PopulationUnit struct {
	Cluster   int     // number of the cluster, from 0; units of one cluster may depend on each other
	Predicted float64 // prediction of the truth, 0 to 1, such as a judge's verdict
	Truth     float64 // the label, 0 to 1, of a unit with Weight above 0
	Weight    float64 // inverse of the probability that the unit was selected for a label; 0 without a label
}

// PredictionPoweredClusters estimates the mean truth as [PredictionPowered] does, for clustered units and labels drawn
// with known probabilities. maxWeight limits the weight of the predictions; 0 gives the mean of the labels alone. The
// interval uses Student's t with the jackknife variance between clusters of what each adds to the estimate, and as many
// degrees of freedom as clusters of equal weight would have. Two extra units, one at each largest possible error, are
// added to the observed ones; with clustered units each of them weighs as much as an average cluster.
//
// Sources: Angelopoulos, Duchi and Zrnic, arXiv 2311.01453; Särndal, Swensson and Wretman, Model Assisted Survey
// Sampling (1992), §6.6 for the weights; Liang and Zeger, Biometrika 73 (1986) for the clusters.
func PredictionPoweredClusters(units []PopulationUnit, maxWeight, level float64) PredictionPoweredEstimate {
	var truth, predictions, weights, allPredictions []float64
	total := 0.0
	for _, u := range units {
		allPredictions = append(allPredictions, u.Predicted)
		if u.Weight > 0 {
			truth = append(truth, u.Truth)
			predictions = append(predictions, u.Predicted)
			weights = append(weights, u.Weight)
			total += u.Weight
		}
	}
	n, m := float64(len(truth)), float64(len(allPredictions))
	if n < 2 {
		return PredictionPoweredEstimate{MeanEstimate: noEstimate}
	}
	p := PredictionPoweredEstimate{PredictionVariance: stat.Variance(allPredictions, nil)}
	if spread := stat.Variance(predictions, weights); spread > 0 {
		p.PredictionWeight = min(maxWeight, max(0, stat.Covariance(truth, predictions, weights)/spread))
	}
	errors := make([]float64, len(truth))
	for i, y := range truth {
		errors[i] = y - p.PredictionWeight*predictions[i]
	}
	predicted, mean := stat.Mean(allPredictions, nil), stat.Mean(errors, weights)
	type share struct {
		labelled, rest float64
		weight, units  float64 // of the labelled units
	}
	var shares []share // contribution of each cluster to the estimate
	for _, u := range units {
		for u.Cluster >= len(shares) {
			shares = append(shares, share{})
		}
		if u.Weight > 0 {
			shares[u.Cluster].weight += u.Weight
			shares[u.Cluster].units++
		}
	}
	squares, clusterSize := 0.0, 0.0 // of the clusters' weights; mean size of a unit's cluster
	for _, s := range shares {
		squares, clusterSize = squares+s.weight*s.weight, clusterSize+s.units*s.units/n
	}
	endWeight := total / n * (1 + (clusterSize-1)*guessedCorrelation) // weight of an extra unit
	center := (total*mean + endWeight*(1-p.PredictionWeight)) / (total + 2*endWeight)
	i := 0
	for _, u := range units {
		s := &shares[u.Cluster]
		s.rest += p.PredictionWeight * (u.Predicted - predicted) / m
		if u.Weight > 0 {
			s.labelled += u.Weight * (errors[i] - center) / total
			i++
		}
	}
	sum := 0.0
	labelledSum := 0.0
	clusters := 0.0
	for _, s := range shares {
		if s.weight < total {
			s.labelled /= 1 - s.weight/total
		}
		sum += (s.labelled + s.rest) * (s.labelled + s.rest)
		labelledSum += s.labelled * s.labelled
		if s.units > 0 {
			clusters++
		}
	}
	shift := p.PredictionWeight * predicted
	if clusters < 2 {
		p.setMean(shift+mean, shift+center, math.Inf(1))
		return p
	}
	endVariance := endWeight * endWeight / (total * total) *
		((-p.PredictionWeight-center)*(-p.PredictionWeight-center) + (1-center)*(1-center))
	scale := (clusters - 1) / clusters
	p.ResidualVariance = n * scale * (labelledSum + endVariance)
	half := studentCritical(level, max(1, total*total/squares-1)) * math.Sqrt(scale*sum+endVariance)
	p.setMean(shift+mean, shift+center, half)
	return p
}
