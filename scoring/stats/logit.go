package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Logistic is a logistic regression without a constant: P(y) = 1/(1 + exp(−x·Beta)).
type Logistic struct {
	Beta    []float64 // a coefficient a column
	Error   []float64 // standard error of each, robust to rows of one cluster that depend on each other
	Freedom []float64 // degrees of freedom of each by Student's t
}

// mostSteps bounds Newton's method. Where a column separates the rows the coefficients grow with every step.
const mostSteps = 50

// Logit fits y to the rows of x by maximum likelihood; cluster names for each row which others it depends on. It is nil
// where no finite coefficients fit best: where a column, or some together, tell y without an error, or say the same.
//
// The errors are those of the jackknife over clusters, by one Newton step (CR3): those of the sandwich of Liang and
// Zeger (1986) are too small where clusters are few or some weigh much.
//
// Source: Bell and McCaffrey, Survey Methodology 28 (2002), 169–181.
func Logit(x [][]float64, y []bool, cluster []int) *Logistic {
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
	for range mostSteps {
		gradient, information := slopes(x, y, beta, all)
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
			return jackknife(x, y, members, beta, information)
		}
	}
	return nil
}

// slopes are the gradient of the log likelihood of some rows and its information matrix.
func slopes(x [][]float64, y []bool, beta []float64, rows []int) (*mat.VecDense, *mat.SymDense) {
	gradient := mat.NewVecDense(len(beta), nil)
	information := mat.NewSymDense(len(beta), nil)
	for _, i := range rows {
		p := Logistic{Beta: beta}.P(x[i])
		v := mat.NewVecDense(len(beta), x[i])
		gradient.AddScaledVec(gradient, indicator(y[i])-p, v)
		information.SymRankOne(information, p*(1-p), v)
	}
	return gradient, information
}

// jackknife returns the regression with the errors of its coefficients; nil where too few clusters tell them.
// A column that differs within few clusters, as the position does for a judge that seldom flips, has few degrees of
// freedom: as many as there would be clusters with normal influence, of the kurtosis found, less one.
func jackknife(x [][]float64, y []bool, members map[int][]int, beta []float64, information *mat.SymDense) *Logistic {
	clusters := float64(len(members))
	squares := make([]float64, len(beta))
	fourths := make([]float64, len(beta))
	for _, c := range slices.Sorted(maps.Keys(members)) { // the same sums every time
		score, rest := slopes(x, y, beta, members[c])
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
		l.Error = append(l.Error, max(math.Sqrt(sum*(clusters-1)/clusters), nothing/2))
		l.Freedom = append(l.Freedom, 1)
		if l.Tells(j) {
			l.Freedom[j] = max(1, min(clusters, 3*sum*sum/fourths[j])-1)
		}
	}
	return l
}

// P is the probability of a row.
func (l Logistic) P(row []float64) float64 {
	sum := 0.0
	for j, v := range row {
		sum += v * l.Beta[j]
	}
	return 1 / (1 + math.Exp(-sum))
}

// nothing is an error that comes of rounding alone.
const nothing = 1e-9

// Tells reports whether some cluster tells the coefficient: none does of a position with which no verdict changes.
func (l Logistic) Tells(j int) bool { return l.Error[j] > nothing }

// Interval of a coefficient.
func (l Logistic) Interval(j int, level float64) Interval {
	half := student(level, l.Freedom[j]) * l.Error[j]
	return Interval{Low: l.Beta[j] - half, High: l.Beta[j] + half}
}

// Test is the two-sided p of a coefficient that is 0.
func (l Logistic) Test(j int) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: l.Freedom[j]}.Survival(math.Abs(l.Beta[j])/l.Error[j])
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
