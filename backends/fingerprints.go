package backends

// Fingerprints counts the system fingerprints in the replies of one server. A fingerprint identifies the software and
// setup behind a reply; a new one may mean another model.
type Fingerprints map[string]int

// mostFingerprints limits the number of distinct fingerprints.
const mostFingerprints = 16

// Add counts a reply's fingerprint; an empty one is ignored.
func (f Fingerprints) Add(fingerprint string) {
	if _, ok := f[fingerprint]; fingerprint != "" && (ok || len(f) < mostFingerprints) {
		f[fingerprint]++
	}
}

// MostFrequentExcept returns the most frequent fingerprint apart from excluded; "" if there is none, or if none came
// twice: some servers draw a new one for each reply.
func (f Fingerprints) MostFrequentExcept(excluded string) (other string) {
	repeated := false
	for fingerprint, n := range f {
		repeated = repeated || n > 1
		if fingerprint != excluded && (n > f[other] || n == f[other] && fingerprint < other) {
			other = fingerprint
		}
	}
	if !repeated {
		return ""
	}
	return other
}

// MostFrequent returns the most frequent fingerprint; "" if the server sends none, or another with each reply.
func (f Fingerprints) MostFrequent() string { return f.MostFrequentExcept("") }

// Changed reports whether replies come from more than one system.
func (f Fingerprints) Changed() bool { return f.MostFrequentExcept(f.MostFrequent()) != "" }
