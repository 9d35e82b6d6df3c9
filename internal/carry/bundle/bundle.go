// Package bundle carries runs and datasets to a machine without network, and back, as one tar file, and makes runs
// again there; docs/formats.md lists the files of a bundle. Errors name the fields of a request as the command line
// does.
package bundle

import (
	"regexp"
	"strings"

	"gavel/judging"
)

// A bundle is a tar file of zstd-compressed files, the last of which, SHA256SUMS, has the sums of the others: tar,
// sha256sum and unzstd open and check it. Bundles of earlier versions also have an index, replies of the cache and
// prompts, and those of gavel before 0.1 end with a seal instead of the sums.
const (
	packed      = ".zst"
	sumsFile    = "SHA256SUMS"
	oldSealFile = "seal.sha256"
)

// oldFiles are files of earlier bundles that import leaves out.
var oldFiles = []string{"bundle.json.zst", "replies.jsonl.zst", "sums.json"}

// runFiles are the files of a run that a bundle carries. The manifest comes last, so that an import that was killed
// leaves no run without its records.
var runFiles = []string{
	judging.ItemsFile, judging.RecordsFile, judging.ResultsFile, judging.AboutFile, judging.ManifestFile,
}

// inBundle matches the names of files in a bundle. No folder in them is hidden, leads out of its own or steers a
// terminal.
var inBundle = regexp.MustCompile(`^(` + strings.ReplaceAll(
	`runs/NAME(/NAME)?/((items|records)\.jsonl|(run|results|about)\.json)|runs/NAME/suite\.json|(datasets|prompts)/NAME`,
	"NAME", `[^./\\\pC\x{FFFD}][^/\\\pC\x{FFFD}]*`) + `)$`)

// Contents are the runs, as folders below that of the runs, and the datasets of a bundle.
type Contents struct{ Runs, Datasets []string }
