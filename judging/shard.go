package judging

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// Deal are the items of a shard, as indexes of n ids, in their order. Items go to the shards one after the
// other, in the order of a hash of their ids: the same whatever the order of the file, and no shard has two
// items more than another.
func (s *Shard) Deal(n int, id func(i int) string) (mine []int) {
	mine = []int{}
	has := make([]bool, n)
	for rank, i := range datasets.Order(n, id, 0) {
		has[i] = rank%s.Of == s.Index-1
	}
	for i, is := range has {
		if is {
			mine = append(mine, i)
		}
	}
	return mine
}

// QuestionOf is the id of the question that an item is, or is an answer to.
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

// Where are the places that At noted. Its error says that they cannot be those of n items of the whole.
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
	if len(places) != n {
		return nil, fmt.Errorf("damaged: it has %d items and says the places of %d", n, len(places))
	}
	return places, nil
}

// whole is the id of the run, or of that which it is a shard of.
func (m *Manifest) whole() string {
	if m.Shard != nil {
		return m.Shard.Whole
	}
	return m.ID
}

func (s *Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// ShardSuffix ends the name of a shard's folder. A try of it that must not write where another may still be writing
// says which it is: "2" of the second that an engine has counted, else whatever no other try is called.
func ShardSuffix(index, of int, try string) string {
	suffix := fmt.Sprintf("_shard-%d-of-%d", index, of)
	if try != "" {
		suffix += trySuffix + try
	}
	return suffix
}

const trySuffix = "_try-"

var shardSuffix = regexp.MustCompile(`_shard-(\d+)-of-(\d+)(` + trySuffix + `[A-Za-z0-9.-]+)?$`)

// OtherTries are the folders beside that of a shard, there or not, in which other tries of it are.
func OtherTries(dir string) (dirs []string) {
	parent, name := filepath.Dir(filepath.Clean(dir)), filepath.Base(dir)
	is := shardSuffix.FindStringSubmatch(name)
	if is == nil {
		return nil
	}
	first := strings.TrimSuffix(name, is[3])
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if of := shardSuffix.FindStringSubmatch(e.Name()); of != nil && e.IsDir() && e.Name() != name &&
			strings.TrimSuffix(e.Name(), of[3]) == first {
			dirs = append(dirs, filepath.Join(parent, e.Name()))
		}
	}
	return dirs
}

// ShardNamed is the shard that the name of a folder says, its index and how many there are; nil where it says none.
func ShardNamed(name string) *Shard {
	is := shardSuffix.FindStringSubmatch(name)
	if is == nil {
		return nil
	}
	index, _ := strconv.Atoi(is[1]) // digits; one that is too large is no shard's
	of, _ := strconv.Atoi(is[2])
	return &Shard{Index: index, Of: of}
}

// WithoutShard is the name of a folder without that of a shard.
func WithoutShard(name string) string { return shardSuffix.ReplaceAllString(name, "") }
