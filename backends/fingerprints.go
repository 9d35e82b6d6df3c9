package backends

// Fingerprints counts the system fingerprints that the replies of one server came with. A fingerprint stands for the
// software and the setup behind a reply; another one is a sign that the model may be another, too.
type Fingerprints map[string]int

// mostFingerprints bounds what is counted.
const mostFingerprints = 16

// Add counts a reply. One without a fingerprint tells nothing.
func (f Fingerprints) Add(fingerprint string) {
	if _, known := f[fingerprint]; fingerprint != "" && (known || len(f) < mostFingerprints) {
		f[fingerprint]++
	}
}

// Beside is the fingerprint that came most often beside one; "" where none did, or where none came twice at all: some
// servers draw a new one for each reply.
func (f Fingerprints) Beside(one string) (other string) {
	again := false
	for fingerprint, n := range f {
		again = again || n > 1
		if fingerprint != one && (n > f[other] || n == f[other] && fingerprint < other) {
			other = fingerprint
		}
	}
	if !again {
		return ""
	}
	return other
}

// Usual is the one that came most often; "" where the server tells none that means anything.
func (f Fingerprints) Usual() string { return f.Beside("") }

// Changed tells whether replies are of more than one system.
func (f Fingerprints) Changed() bool { return f.Beside(f.Usual()) != "" }
