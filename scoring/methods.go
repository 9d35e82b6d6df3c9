package scoring

// Methods of intervals, the values of Result.Interval, each with the metrics that have it.
const (
	ByBlaker = "blaker" // exact: units that are right or wrong
	// a share of clustered units, by the effective number of independent units
	ByMidP       = "mid-p"
	ByPairs      = "bonett-price"             // means of scores of −1, 0 and 1, one per unit
	ByMover      = "mover"                    // a difference of functions of two shares
	ByTango      = "tango"                    // a difference of two shares of the same units, compared with a margin
	ByBootstrap  = "smoothed-bootstrap"       // metrics without a formula
	ByJackknife  = "jackknife"                // metrics that are functions of single units, such as a rank correlation
	ByCalibrated = "bias-corrected-bootstrap" // the calibration error, which is above 0 by chance alone

	ByFisher  = "fisher"  // a correlation over judges
	ByFieller = "fieller" // the point where a regression line over judges crosses 0
	ByDeLong  = "delong"  // an AUROC

	// before the end of a run, valid at every look
	BySequence = "beta-binomial-sequence" // units that are right or wrong
	ByBetting  = "betting-sequence"       // other shares, and differences
)

// IntervalMethods lists the methods of intervals, each with the words for the note under a table.
var IntervalMethods = []struct{ Name, About string }{
	{ByBlaker, "exact by Blaker"},
	{ByMidP, "mid-P with the effective number of clusters"},
	{ByPairs, "by Bonett and Price"},
	{ByMover, "by MOVER"},
	{ByTango, "by Tango's score"},
	{ByBootstrap, "by a smoothed bootstrap"},
	{ByJackknife, "by a jackknife"},
	{ByCalibrated, "by a bias-corrected bootstrap"},
	{ByFisher, "by Fisher's z"},
	{ByFieller, "by Fieller"},
	{ByDeLong, "by DeLong, in clusters by Obuchowski"},
	{BySequence, "valid at every look, for shares (beta-binomial)"},
	{ByBetting, "valid at every look, for other metrics (betting)"},
}

// minClassUnits is the smallest number of units with the rarer value of a variable for which correlations get
// an interval.
const minClassUnits = 10

// noInterval begins the note of a metric that has a value without an interval.
const noInterval = "interval: none, "

// priorMass is the weight of a row that smooths an interval, where an observed row weighs 1. There is one such row in
// each cell of a table, or at each end of the scale.
const priorMass = 0.5

// EffectiveUnits returns the effective number of independent units in a prior row, if observed rows have this many
// units on average. It uses the prior correlation of [stats.EffectiveSampleSize].
func EffectiveUnits(each float64) float64 { return 1 + (each-1)*0.3 }

// NoInterval begins a warning about metrics without an interval; their names and the reason follow.
const NoInterval = "no interval of "
