package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Logistic is a logistic regression without a constant: P(y) = 1/(1 + exp(−x·Beta)).
type Logistic struct {
	Beta       []float64  // a coefficient a column
	Covariance *mat.Dense // of Beta, robust to rows of one cluster that depend on each other
}

// mostSteps bounds Newton's method. Where a column separates the rows the coefficients grow with every step.
const mostSteps = 50

// Logit fits y to the rows of x by maximum likelihood; cluster names for each row which others it depends on. It is nil
// where no finite coefficients fit best: where a column, or some together, tell y without an error, or say the same.
//
// The covariance is the sandwich of Liang and Zeger, Biometrika 73 (1986), 13–22, times g/(g−1) for g clusters.
func Logit(x [][]float64, y []bool, cluster []int) *Logistic {
	if len(x) == 0 {
		return nil
	}
	width := len(x[0])
	beta := make([]float64, width)
	for range mostSteps {
		gradient, information := slopes(x, y, beta)
		var chol mat.Cholesky
		if !chol.Factorize(information) || chol.Cond() > 1e10 {
			return nil
		}
		var step mat.VecDense
		if chol.SolveVecTo(&step, gradient) != nil {
			return nil
		}
		largest := 0.0
		for j := range beta {
			beta[j] += step.AtVec(j)
			largest = math.Max(largest, math.Abs(step.AtVec(j)))
			if math.Abs(beta[j]) > 25 {
				return nil
			}
		}
		if largest < 1e-10 {
			covariance := sandwich(x, y, cluster, beta, &chol)
			if covariance == nil {
				return nil
			}
			return &Logistic{Beta: beta, Covariance: covariance}
		}
	}
	return nil
}

// slopes are the gradient of the log likelihood and its information matrix.
func slopes(x [][]float64, y []bool, beta []float64) (*mat.VecDense, *mat.SymDense) {
	gradient := mat.NewVecDense(len(beta), nil)
	information := mat.NewSymDense(len(beta), nil)
	for i, row := range x {
		p := Logistic{Beta: beta}.P(row)
		v := mat.NewVecDense(len(row), row)
		gradient.AddScaledVec(gradient, indicator(y[i])-p, v)
		information.SymRankOne(information, p*(1-p), v)
	}
	return gradient, information
}

// sandwich is the covariance of the coefficients; nil where there are fewer clusters than tell one. bread is the
// information at the coefficients.
func sandwich(x [][]float64, y []bool, cluster []int, beta []float64, bread *mat.Cholesky) *mat.Dense {
	scores := map[int]*mat.VecDense{}
	var order []int // the same sums every time
	for i, row := range x {
		score := scores[cluster[i]]
		if score == nil {
			score = mat.NewVecDense(len(beta), nil)
			scores[cluster[i]] = score
			order = append(order, cluster[i])
		}
		score.AddScaledVec(score, indicator(y[i])-Logistic{Beta: beta}.P(row), mat.NewVecDense(len(row), row))
	}
	meat := mat.NewSymDense(len(beta), nil)
	g := float64(len(order))
	for _, c := range order {
		meat.SymRankOne(meat, g/(g-1), scores[c])
	}
	var inverse mat.SymDense
	if len(order) <= len(beta) || bread.InverseTo(&inverse) != nil {
		return nil
	}
	var out mat.Dense
	out.Mul(&inverse, meat)
	out.Mul(&out, &inverse)
	for j := range beta {
		if !(out.At(j, j) > 0) { // rounded away
			return nil
		}
	}
	return &out
}

// P is the probability of a row.
func (l Logistic) P(row []float64) float64 {
	sum := 0.0
	for j, v := range row {
		sum += v * l.Beta[j]
	}
	return 1 / (1 + math.Exp(-sum))
}

// Interval of a coefficient.
func (l Logistic) Interval(j int, level float64) Interval {
	half := normal(level) * math.Sqrt(l.Covariance.At(j, j))
	return Interval{Low: l.Beta[j] - half, High: l.Beta[j] + half}
}

// Test is the two-sided p of a coefficient that is 0 (Wald).
func (l Logistic) Test(j int) float64 {
	z := math.Abs(l.Beta[j]) / math.Sqrt(l.Covariance.At(j, j))
	return math.Erfc(z / math.Sqrt2)
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
