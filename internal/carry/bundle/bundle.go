// Package bundle packs runs and datasets into one tar file for a machine without network, unpacks it, and replays runs
// there; docs/formats.md lists the files of a bundle. Errors name request fields as the command line does.
package bundle

import (
	"regexp"
	"strings"

	"gavel/judging"
)

// Names in a bundle: a tar file of zstd-compressed files (packed). The last file, SHA256SUMS, has the sums of the
// others, so that tar, sha256sum and unzstd can open and check a bundle. Bundles of earlier versions also have an
// index, replies of the cache and prompts; those of gavel before 0.1 end with a seal instead of the sums.
const (
	packedSuffix = ".zst"
	sumsFile     = "SHA256SUMS"
	oldSealFile  = "seal.sha256"
)

// obsoleteFiles lists files of bundles by earlier versions of gavel that an import skips.
var obsoleteFiles = strings.Fields("bundle.json.zst replies.jsonl.zst sums.json")

// runFiles lists the files of a run that a bundle contains. The manifest is imported last, so that a killed import
// leaves no run without its records.
var runFiles = []string{
	judging.ItemsFile, judging.RecordsFile, judging.ResultsFile, judging.AboutFile, judging.ManifestFile,
}

// allowedName matches the names that files of a bundle may have. Folders in these names are not hidden, do not lead
// outside and contain no control characters.
var allowedName = regexp.MustCompile(`^(` + strings.ReplaceAll(
	`runs/NAME(/NAME)?/((items|records)\.jsonl|(run|results|about)\.json)|runs/NAME/suite\.json|(datasets|prompts)/NAME`,
	"NAME", `[^./\\\pC\x{FFFD}][^/\\\pC\x{FFFD}]*`) + `)$`)

// Contents lists what a bundle holds: runs, as paths below the folder of runs, and names of datasets.
type Contents struct{ Runs, Datasets []string }
