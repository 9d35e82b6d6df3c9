package scoring

// Average is the mean of results weighted by their n, as in the paper's Tables
// 2 and 8; those without a value are left out. Over the groups of one run it is
// the overall value of a metric that is a share of the group's judgments, such
// as overconfidence.
func Average(results []Result) (value *float64, n int) {
	sum := 0.0
	for _, r := range results {
		if r.Value != nil {
			sum += *r.Value * float64(r.N)
			n += r.N
		}
	}
	if n == 0 {
		return nil, 0
	}
	return percent(sum / float64(n) / 100), n
}
