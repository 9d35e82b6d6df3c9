package judging

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
)

// Shard describes the part of a run's items that a run has. "gavel carry merge" makes the whole run from all parts.
type Shard struct {
	Index int `json:"index"` // number of this shard, from 1
	Count int `json:"of"`    // number of shards
	// id of the whole run; if its items are made from answers, of a run over their questions
	WholeID     string `json:"whole"`
	Items       int    `json:"items"`          // number of all shards' items; of questions, if items are made from answers
	IDsSHA256   string `json:"items_sha256"`   // SHA-256 of the ids of all shards' items, one per line
	Dataset     string `json:"dataset_sha256"` // SHA-256 of the whole run's dataset file
	DatasetPath string `json:"dataset"`        // path of the whole run's dataset file, as given
	// the index of each item of this run in the whole, from 0, as the difference from the previous one; separated by
	// spaces
	Places string `json:"places"`
}

// CacheDir names the folder of cached replies in a shard's folder.
const CacheDir = ".cache"

// SelectItems returns the items of a shard, as indexes of n ids, in their order. Items are dealt to the shards in turn,
// in the order of a hash of their ids: the result does not depend on the order of the file, and the sizes of shards
// differ by at most one.
func (s *Shard) SelectItems(n int, id func(i int) string) (indexes []int) {
	indexes = []int{}
	for rank, i := range datasets.DrawOrder(n, id, 0) {
		if rank%s.Count == s.Index-1 {
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes)
	return indexes
}

// QuestionID returns the id of an item's question: the item's own, unless it is an answer to another.
func QuestionID(item datasets.Item) string {
	if item.Answered != nil && item.Answered.QuestionID != "" {
		return item.Answered.QuestionID
	}
	return item.ID
}

// SetPlaces sets the indexes of the shard's items in the whole.
func (s *Shard) SetPlaces(places []int) {
	gaps, last := make([]string, len(places)), 0
	for i, p := range places {
		gaps[i], last = strconv.Itoa(p-last), p
	}
	s.Places = strings.Join(gaps, " ")
}

// ReadPlaces returns the indexes that SetPlaces set, or an error if they cannot be those of n items of the whole run.
func (s *Shard) ReadPlaces(n int) ([]int, error) {
	gaps := strings.Fields(s.Places)
	places, last := make([]int, len(gaps)), 0
	for i, gap := range gaps {
		step, err := strconv.Atoi(gap)
		last += step
		if err != nil || step < 0 || last >= s.Items {
			return nil, fmt.Errorf("damaged: %q is not the place of an item of %d", gap, s.Items)
		}
		places[i] = last
	}
	if len(places) != n || s.Index < 1 || s.Index > s.Count {
		return nil, fmt.Errorf("damaged: %d items, and its run.json says the places of %d in shard %s", n, len(places), s)
	}
	return places, nil
}

// WholeSpec returns the spec of the whole run, from that of one shard.
func (s *Shard) WholeSpec(spec Spec) Spec {
	spec.Dataset.SHA256 = s.Dataset
	spec.Dataset.Items = s.Items
	spec.Dataset.IDsHash = s.IDsSHA256
	return spec
}

func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// ShardSuffix returns the end of a shard's folder name, for its first or a later try.
func ShardSuffix(index, total, try int) string {
	return fmt.Sprintf("_shard-%d-of-%d", index, total) + TrySuffix(try)
}

// TryInfix separates the folder name of a shard's later try from its number.
const TryInfix = "_try-"

// TrySuffix returns the end of the folder name of a shard's later try, from 2. A later try must not write where an
// earlier one may still be writing.
func TrySuffix(try int) string {
	if try < 2 {
		return ""
	}
	return TryInfix + strconv.Itoa(try)
}
