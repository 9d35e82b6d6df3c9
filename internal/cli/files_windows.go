package cli

// maxOpenFiles returns the number of files and connections that this process may open; Windows has no relevant limit.
func maxOpenFiles() int { return enoughOpenFiles }
