package judging

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
)

// Shard says which part of a run's items a run has. What all parts together are is the run that "gavel merge" makes.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`    // shards
	// id of the run that the shards make together; where its items are made of answers, of one over their questions
	Whole   string `json:"whole"`
	Items   int    `json:"items"`          // of all shards; where items are made of answers, the questions
	IDs     string `json:"items_sha256"`   // of their ids, one a line
	Dataset string `json:"dataset_sha256"` // that they are of
	Path    string `json:"dataset"`        // that, as it was given
	// of each item of this run its place among those, from 0, less the place of the one before; spaces between
	Places string `json:"places"`
}

// CacheDir is the folder, within that of a shard, of the replies that it remembers.
const CacheDir = ".cache"

// Deal returns the items of a shard, as indexes of n ids, in their order. Items go to the shards one after the
// other, in the order of a hash of their ids: the same whatever the order of the file, and no shard has two
// items more than another.
func (s *Shard) Deal(n int, id func(i int) string) (mine []int) {
	mine = []int{}
	for rank, i := range datasets.Order(n, id, 0) {
		if rank%s.Of == s.Index-1 {
			mine = append(mine, i)
		}
	}
	slices.Sort(mine)
	return mine
}

// QuestionOf returns the id of the question that an item is, or is an answer to.
func QuestionOf(item datasets.Item) string {
	if item.Answered != nil && item.Answered.Question != "" {
		return item.Answered.Question
	}
	return item.ID
}

// At notes where the items of the shard stand in the whole.
func (s *Shard) At(places []int) {
	gaps, last := make([]string, len(places)), 0
	for i, p := range places {
		gaps[i], last = strconv.Itoa(p-last), p
	}
	s.Places = strings.Join(gaps, " ")
}

// Where returns the places that At noted, or an error if they cannot be those of n items of the whole.
func (s *Shard) Where(n int) ([]int, error) {
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
	if len(places) != n || s.Index < 1 || s.Index > s.Of {
		return nil, fmt.Errorf("damaged: %d items, and its run.json says the places of %d in shard %s", n, len(places), s)
	}
	return places, nil
}

// WholeSpec returns the spec of the run that all shards make together, from that of one.
func (s *Shard) WholeSpec(spec Spec) Spec {
	spec.Dataset.SHA256 = s.Dataset
	spec.Dataset.Items = s.Items
	spec.Dataset.IDs = s.IDs
	return spec
}

// whole returns the id of the run, or of that which it is a shard of.
func (m *Manifest) whole() string {
	if m.Shard != nil {
		return m.Shard.Whole
	}
	return m.ID
}

func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// ShardSuffix ends the name of the folder of a shard, in its first or a later try.
func ShardSuffix(index, of, try int) string {
	return fmt.Sprintf("_shard-%d-of-%d", index, of) + TrySuffix(try)
}

// TryInfix stands before the number of a later try in the name of its folder.
const TryInfix = "_try-"

// TrySuffix ends the name of the folder of a shard's later try, which must not write where the one before may still be
// writing, after that of the first: 2 is the second.
func TrySuffix(try int) string {
	if try < 2 {
		return ""
	}
	return TryInfix + strconv.Itoa(try)
}
