package scoring

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gavel/scoring/stats"
)

// bins is the number of equally wide bins into which confidences from 0 to 1 are divided.
const bins = 10

// binOf returns the index of the bin that contains a confidence: bin k holds those above k/10 up to (k+1)/10, and bin 0
// also holds 0.
func binOf(p float64) int { return max(0, min(bins, int(math.Ceil(p*bins)))-1) }

// Columns of the row in which a calibration sums up a unit's judgments. Columns 0 to 5 hold the sum of the confidences,
// the number of right judgments and the sum of the squared errors, each followed by the number of judgments. Then come
// for each bin judgments, sum of confidences and right ones, and for each threshold right ones and judgments.
const (
	calibrationColP, calibrationColRight, calibrationColSquare = 0, 2, 4
	calibrationColBins                                         = 6
	calibrationColPoints                                       = calibrationColBins + 3*bins
)

// calibration compares the judge's confidence with its accuracy; nil if no judgment has a confidence.
func (run *Run) calibration(b stats.Bootstrap) *Calibration {
	if len(run.forecasts.all) == 0 {
		return nil
	}
	judgments := slices.Clone(run.forecasts.all)
	for i := range judgments {
		judgments[i].UnitID = run.clusterOf(judgments[i].UnitID)
	}
	c := Calibrate(judgments, run.resamplingNoun(), b)
	c.MissingRule, c.Unknown = run.terms().Record+" left out", run.forecasts.decided-c.N
	return c
}

// Calibrate compares the confidence of one or more forecasts with how often they are right. unit names what intervals
// resample, such as pair; b holds their settings.
func Calibrate(judgments []Forecast, unit string, b stats.Bootstrap) *Calibration {
	slices.SortFunc(judgments, func(a, b Forecast) int {
		return cmp.Or(strings.Compare(a.UnitID, b.UnitID), strings.Compare(a.itemID, b.itemID), a.presentation-b.presentation)
	})
	points := thresholds(judgments)
	rows := map[string][]float64{}
	for _, g := range judgments {
		if rows[g.UnitID] == nil {
			rows[g.UnitID] = make([]float64, calibrationColPoints+2*len(points))
		}
		g.addToRow(rows[g.UnitID], points)
	}
	metrics := calibrationMetrics(len(points), kindOfShare(rows, calibrationColRight+1))
	s := IndependentRows(unit, metrics, rowsSortedByKey(rows))
	var estimates []Estimate
	for _, r := range s.Results("", metrics, b) {
		estimates = append(estimates, r.estimate())
	}
	ece, calibrated := eceEstimate(s, judgments, b)
	c := &Calibration{
		N:          len(judgments),
		Confidence: estimates[0], Accuracy: estimates[1], Brier: estimates[2], ECE: ece, PerfectECE: calibrated,
		Bins: make([]Bin, bins), AccuracyOverCoverage: []Point{},
	}
	for k := range c.Bins {
		counts := s.Sums()[calibrationColBins+3*k:]
		c.Bins[k] = Bin{From: float64(k) / bins, To: float64(k+1) / bins, N: int(counts[0])}
		if counts[0] > 0 {
			c.Bins[k].Confidence, c.Bins[k].Accuracy = RoundFraction(counts[1]/counts[0]), RoundFraction(counts[2]/counts[0])
		}
	}
	for k, t := range points {
		n := s.Sums()[calibrationColPoints+2*k+1]
		c.AccuracyOverCoverage = append(c.AccuracyOverCoverage,
			Point{Coverage: *RoundFraction(n / float64(len(judgments))), N: int(n), Threshold: t, Accuracy: estimates[3+k]})
	}
	return c
}

// addToRow adds a judgment to the row of its unit: to the sums, to its bin, and to each threshold in points that its
// confidence reaches.
func (g Forecast) addToRow(row, points []float64) {
	right := Indicator(g.Right)
	add := func(col int, values ...float64) {
		for k, v := range values {
			row[col+k] += v
		}
	}
	add(calibrationColP, g.P, 1, right, 1, (g.P-right)*(g.P-right), 1)
	add(calibrationColBins+3*binOf(g.P), 1, g.P, right)
	for k, t := range points {
		if g.P >= t {
			add(calibrationColPoints+2*k, right, 1)
		}
	}
}

// calibrationMetrics returns the metrics of a calibration: mean confidence, accuracy, Brier score, then the accuracy of
// the judgments at or above each of so many thresholds. share is the kind of the accuracies.
func calibrationMetrics(points int, share MetricKind) []Metric {
	metric := func(kind MetricKind, col int) Metric {
		return Metric{Unit: UnitScore, Kind: kind, Columns: ColumnSpan{col, col + 2}}
	}
	list := []Metric{
		metric(KindMean, calibrationColP),
		metric(share, calibrationColRight),
		metric(KindMean, calibrationColSquare),
	}
	for k := range points {
		list = append(list, metric(share, calibrationColPoints+2*k))
	}
	return list
}

// calibrationError returns the expected calibration error (ECE) from the columns of the bins:
// Σ n/N · |right/n − confidence/n|, where N is the number of judgments and n that of a bin.
func calibrationError(c []float64) (ece float64) {
	judgments := 0.0
	for k := range bins {
		judgments += c[3*k]
		ece += math.Abs(c[3*k+1] - c[3*k+2])
	}
	return ece / judgments
}

// eceEstimate returns the expected calibration error (ECE) with its interval, and the ECE expected of a perfectly
// calibrated judge. With few judgments the ECE of such a judge is above 0 too, because no distance is negative. The
// interval corrects this bias: the lower end lies as far below the value as the upper quantile of the resamples lies
// above it, but not above their lower quantile (if all judgments of a bin are right, or all wrong, the resamples lie on
// one side of the value). The lower end is 0 if a calibrated judge would reach the value.
func eceEstimate(s *UnitRows, judgments []Forecast, b stats.Bootstrap) (ece, calibrated Estimate) {
	statistic := func(sums []float64) float64 { return calibrationError(sums[calibrationColBins:calibrationColPoints]) }
	value := statistic(s.Sums())
	if b.Rounds < 1 {
		return Estimate{Value: RoundFraction(value)}, Estimate{}
	}
	iv := b.SmoothedIntervals(&s.rows, []stats.Statistic{{Compute: statistic, Prior: priorBins(s, judgments)}})[0]
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(judgments))))
	c, mean := make([]float64, 3*bins), 0.0
	simulated := make([]float64, b.Rounds)
	for i := range simulated {
		clear(c)
		for _, g := range judgments {
			counts := c[3*binOf(g.P):]
			counts[0]++
			counts[1] += g.P
			counts[2] += Indicator(rng.Float64() < g.P)
		}
		simulated[i] = calibrationError(c)
		mean += simulated[i] / float64(b.Rounds)
	}
	range95 := b.Percentiles(simulated)
	high := max(value, iv.High)
	low := max(0, min(2*value-high, iv.Low))
	if value <= range95.High {
		low = 0
	}
	return Estimate{
			Value:          RoundFraction(value),
			Low:            RoundFraction(low),
			High:           RoundFraction(high),
			IntervalMethod: IntervalByBiasCorrected,
		},
		Estimate{Value: RoundFraction(mean), Low: RoundFraction(range95.Low), High: RoundFraction(range95.High)}
}

// priorBins returns the rows that smooth the interval of the calibration error: half a unit, spread over the bins like
// the judgments. For the lower end of the interval the accuracy in these rows reduces the error of a bin; for the upper
// end it is as far as possible from the bin's confidence.
func priorBins(s *UnitRows, judgments []Forecast) *stats.PriorRows {
	units := 0
	for i, g := range judgments { // judgments of an item are adjacent
		if i == 0 || g.UnitID != judgments[i-1].UnitID || g.itemID != judgments[i-1].itemID {
			units++
		}
	}
	rows := float64(s.rows.Len)
	unitsPerRow := float64(units) / rows
	size := EffectivePriorUnits(unitsPerRow) / unitsPerRow / rows
	var low, high []columnValues
	for k := range bins {
		column := calibrationColBins + 3*k
		n := s.sums[column]
		confidence := s.sums[column+1]
		right := s.sums[column+2]
		if n == 0 {
			continue
		}
		bin := ColumnSpan{column, column + 3}
		low = append(low, columnValues{bin, []float64{n, confidence, n * Indicator(confidence > right)}})
		high = append(high, columnValues{bin, []float64{n, confidence, n * Indicator(2*confidence < n)}})
	}
	return priorRowsAtExtremes(priorRow(size, low...), priorRow(size, high...))
}

// thresholds returns the lowest confidence among the most confident 10 %, 20 %, … 100 % of the judgments, without
// duplicates, the highest first.
func thresholds(judgments []Forecast) []float64 {
	p := make([]float64, len(judgments))
	for i, g := range judgments {
		p[i] = g.P
	}
	slices.Sort(p)
	var out []float64
	for tenth := range 10 {
		out = append(out, p[(9-tenth)*len(p)/10])
	}
	return slices.Compact(out)
}
