package report

// DifferenceLook returns the class of a row with a difference: blue for a significant one, else grey.
func DifferenceLook(noise bool) string {
	if noise {
		return "level-unknown"
	}
	return "level-usable"
}
