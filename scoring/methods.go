package scoring

// Methods of intervals, as results name them.
const (
	ByBlaker = "blaker" // exact: of units that are right or wrong
	// of a share of units in clusters, by how many independent ones they are worth
	ByMidP       = "mid-p"
	ByPairs      = "bonett-price"             // of scores of −1, 0 and 1, one a unit
	ByMover      = "mover"                    // of a difference of functions of two shares
	ByTango      = "tango"                    // of a difference of two shares of the same units, held to a margin
	ByBootstrap  = "smoothed-bootstrap"       // of all else
	ByUnits      = "percentile-bootstrap"     // of metrics that are functions of the units one by one
	ByCalibrated = "bias-corrected-bootstrap" // of a calibration error, which is above 0 by chance alone

	// valid at every look
	BySequence = "beta-binomial-sequence" // of units that are right or wrong
	ByBetting  = "betting-sequence"       // of other shares, and of differences
)

// Methods says of each what it is, in words.
var Methods = []struct{ Name, About string }{
	{ByBlaker, "exact by Blaker"},
	{ByMidP, "mid-P of what clusters are worth"},
	{ByPairs, "by Bonett and Price"},
	{ByMover, "by MOVER"},
	{ByTango, "by Tango's score"},
	{ByBootstrap, "by a smoothed bootstrap"},
	{ByUnits, "by a percentile bootstrap"},
	{ByCalibrated, "by a bootstrap less its bias"},
	{BySequence, "of shares good at every look (beta-binomial)"},
	{ByBetting, "of the rest good at every look (betting)"},
}

// fewestOfClass is how many units with the rarer value of a variable its correlations need for an interval.
const fewestOfClass = 10

// noInterval begins the notes of metrics that have a value without one.
const noInterval = "interval: none, "

// half is what is let in: half a row in each cell, or at each end of the scale.
const half = 0.5

// Worth is how many independent units a row is worth that is let in, where rows have so many on average and are as
// alike as [stats.Effective] takes them to be before anything is seen.
func Worth(each float64) float64 { return 1 + (each-1)*0.3 }

// NoInterval is the beginning of warnings about numbers without an interval.
const NoInterval = "no interval of "
