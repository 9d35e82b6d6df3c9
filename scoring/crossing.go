package scoring

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Line is the least-squares line y = Intercept + Slope·x through N points.
type Line struct {
	Intercept, Slope float64
	N                int
}

// leastOfLine is how many points a line is worth fitting to: through two there is always one, and it says nothing.
const leastOfLine = 3

// FitLine fits a line; ok is false for fewer than three points, and where all have the same x.
func FitLine(x, y []float64) (l Line, ok bool) {
	if len(x) < leastOfLine || slices.Min(x) == slices.Max(x) {
		return Line{}, false
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return Line{Intercept: a, Slope: b, N: len(x)}, true
}

// At is the line's height.
func (l Line) At(x float64) float64 { return l.Intercept + l.Slope*x }

// Cross is where two lines are of one height; ok is false where it is outside of
// low and high, and for parallels: there is none that the data speaks of.
func (l Line) Cross(m Line, low, high float64) (x float64, ok bool) {
	if l.Slope == m.Slope {
		return 0, false
	}
	x = (m.Intercept - l.Intercept) / (l.Slope - m.Slope)
	return x, low <= x && x <= high
}
