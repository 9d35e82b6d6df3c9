package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Logistic holds a logistic regression without a constant: P(y) = 1/(1 + exp(−x·Beta)).
type Logistic struct {
	Beta    []float64 // one coefficient for each column of the data
	Error   []float64 // standard error of each coefficient, robust to dependence within clusters
	Freedom []float64 // degrees of freedom of Student's t, for the interval and the test of each coefficient
}

// maxSteps limits the steps of Newton's method in [FitLogistic]. If a column separates the rows by y, the coefficients
// grow with every step.
const maxSteps = 50

// FitLogistic fits y to the rows of x by maximum likelihood; cluster gives the number of each row's cluster. It returns
// nil if no finite coefficients fit best: if columns predict y without error or are collinear.
//
// The standard errors come from the jackknife over clusters by one Newton step (CR3): those of the sandwich of Liang
// and Zeger (1986) are too small where clusters are few or some weigh much.
//
// Source: Bell and McCaffrey, Survey Methodology 28 (2002), 169–181.
func FitLogistic(x [][]float64, y []bool, cluster []int) *Logistic {
	if len(x) == 0 {
		return nil
	}
	width := len(x[0])
	beta := make([]float64, width)
	members := map[int][]int{} // rows of each cluster
	all := make([]int, len(x))
	for i, c := range cluster {
		members[c] = append(members[c], i)
		all[i] = i
	}
	for range maxSteps {
		gradient, information := gradientAndInformation(x, y, beta, all)
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
			largest = max(largest, math.Abs(step.AtVec(j)))
			if math.Abs(beta[j]) > 25 {
				return nil
			}
		}
		if largest < 1e-10 {
			return withJackknifeErrors(x, y, members, beta, information)
		}
	}
	return nil
}

// gradientAndInformation returns the gradient and the information matrix of the log likelihood of the given rows of x.
func gradientAndInformation(x [][]float64, y []bool, beta []float64, rows []int) (*mat.VecDense, *mat.SymDense) {
	gradient := mat.NewVecDense(len(beta), nil)
	information := mat.NewSymDense(len(beta), nil)
	for _, i := range rows {
		p := Logistic{Beta: beta}.Probability(x[i])
		v := mat.NewVecDense(len(beta), x[i])
		gradient.AddScaledVec(gradient, indicator(y[i])-p, v)
		information.SymRankOne(information, p*(1-p), v)
	}
	return gradient, information
}

// withJackknifeErrors returns the regression with the standard errors of its coefficients; nil with too few clusters.
// members holds the rows of each cluster. A column that differs within few clusters, as the position does for a judge
// that seldom flips, has few degrees of freedom: the number of clusters with normal influence that would have the
// observed kurtosis, less one.
func withJackknifeErrors(
	x [][]float64, y []bool, members map[int][]int, beta []float64, information *mat.SymDense,
) *Logistic {
	clusters := float64(len(members))
	squares := make([]float64, len(beta))
	fourths := make([]float64, len(beta))
	for _, c := range slices.Sorted(maps.Keys(members)) { // sorted, so that sums are reproducible
		score, rest := gradientAndInformation(x, y, beta, members[c])
		rest.ScaleSym(-1, rest)
		rest.AddSym(information, rest)
		var chol mat.Cholesky
		var influence mat.VecDense
		if len(members) <= len(beta) || !chol.Factorize(rest) || chol.SolveVecTo(&influence, score) != nil {
			return nil
		}
		for j := range beta {
			square := influence.AtVec(j) * influence.AtVec(j)
			squares[j] += square
			fourths[j] += square * square
		}
	}
	l := &Logistic{Beta: beta}
	for j, sum := range squares {
		l.Error = append(l.Error, max(math.Sqrt(sum*(clusters-1)/clusters), roundingError/2))
		l.Freedom = append(l.Freedom, 1)
		if l.Estimable(j) {
			l.Freedom[j] = max(1, min(clusters, 3*sum*sum/fourths[j])-1)
		}
	}
	return l
}

// Probability returns the predicted probability of y for a row of values, one for each coefficient.
func (l Logistic) Probability(row []float64) float64 {
	sum := 0.0
	for j, v := range row {
		sum += v * l.Beta[j]
	}
	return 1 / (1 + math.Exp(-sum))
}

// roundingError is the largest standard error that rounding alone can produce.
const roundingError = 1e-9

// Estimable reports whether the data determine coefficient j. They do not, for example, determine the effect of the
// position if no verdict changes with it.
func (l Logistic) Estimable(j int) bool { return l.Error[j] > roundingError }

// Interval returns the interval of coefficient j at a confidence level such as 0.95.
func (l Logistic) Interval(j int, level float64) Interval {
	half := studentCritical(level, l.Freedom[j]) * l.Error[j]
	return Interval{Low: l.Beta[j] - half, High: l.Beta[j] + half}
}

// Test returns the two-sided p-value of "coefficient j is 0".
func (l Logistic) Test(j int) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: l.Freedom[j]}.Survival(math.Abs(l.Beta[j])/l.Error[j])
}

// indicator returns 1 for true and 0 for false.
func indicator(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}
