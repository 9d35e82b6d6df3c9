package scoring

// Methods of intervals, the values of Result.IntervalMethod, each with the metrics that have it.
const (
	IntervalByBlaker = "blaker" // exact: units that are right or wrong
	// a share of clustered units, by the effective number of independent units
	IntervalByMidP          = "mid-p"
	IntervalByBonettPrice   = "bonett-price"             // means of scores of −1, 0 and 1, one per unit
	IntervalByMover         = "mover"                    // a difference of functions of two shares
	IntervalByTango         = "tango"                    // a difference of shares of the same units, against a margin
	IntervalByBootstrap     = "smoothed-bootstrap"       // metrics without a formula
	IntervalByJackknife     = "jackknife"                // functions of single units, such as a rank correlation
	IntervalByBiasCorrected = "bias-corrected-bootstrap" // the calibration error, which is above 0 by chance alone

	IntervalByFisher  = "fisher"  // a correlation over judges
	IntervalByFieller = "fieller" // the point where a regression line over judges crosses 0
	IntervalByDeLong  = "delong"  // an AUROC

	// before the end of a run, valid at every look
	IntervalBySequence = "beta-binomial-sequence" // units that are right or wrong
	IntervalByBetting  = "betting-sequence"       // other shares, and differences
)

// IntervalMethods lists the methods of intervals, each with the words for the note under a table.
var IntervalMethods = []struct{ Name, About string }{
	{IntervalByBlaker, "exact by Blaker"},
	{IntervalByMidP, "mid-P with the effective number of clusters"},
	{IntervalByBonettPrice, "by Bonett and Price"},
	{IntervalByMover, "by MOVER"},
	{IntervalByTango, "by Tango's score"},
	{IntervalByBootstrap, "by a smoothed bootstrap"},
	{IntervalByJackknife, "by a jackknife"},
	{IntervalByBiasCorrected, "by a bias-corrected bootstrap"},
	{IntervalByFisher, "by Fisher's z"},
	{IntervalByFieller, "by Fieller"},
	{IntervalByDeLong, "by DeLong, in clusters by Obuchowski"},
	{IntervalBySequence, "valid at every look, for shares (beta-binomial)"},
	{IntervalByBetting, "valid at every look, for other metrics (betting)"},
}

// minClassUnits is the smallest number of units with the rarer value of a variable for which correlations get
// an interval.
const minClassUnits = 10

// noIntervalNotePrefix begins the note of a metric that has a value without an interval.
const noIntervalNotePrefix = "interval: none, "

// priorMass is the weight of a row that smooths an interval, where an observed row weighs 1. There is one such row in
// each cell of a table, or at each end of the scale.
const priorMass = 0.5

// EffectivePriorUnits returns the effective number of independent units in a prior row, if observed rows have this many
// units on average. It uses the prior correlation of [stats.EffectiveSampleSize].
func EffectivePriorUnits(each float64) float64 { return 1 + (each-1)*0.3 }

// NoIntervalWarningPrefix begins a warning about metrics without an interval; their names and the reason follow.
const NoIntervalWarningPrefix = "no interval of "
