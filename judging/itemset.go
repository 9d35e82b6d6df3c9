package judging

import (
	"cmp"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"sort"
)

// ItemSet identifies the items of a run by their ids, texts and labels: it holds their digests in order, eight bytes
// each. It ignores the order of the items, their file and the judge's own answers.
type ItemSet string

// ItemsFileKey returns a text that is equal for runs whose files of items are equal: the file's hash or, while the run
// has none, the hashes of the dataset's file and of the items' ids.
func (m *Manifest) ItemsFileKey() string {
	return cmp.Or(m.Files[ItemsFile], m.Spec.Dataset.SHA256+" "+m.Spec.Dataset.IDsHash)
}

// ReadIDsByDigest reads the lines of a run's items.jsonl from in and returns the items' ids by digest.
func ReadIDsByDigest(m *Manifest, in io.Reader) (map[uint64]string, error) {
	type identity struct {
		id     string
		digest uint64
	}
	ids := map[uint64]string{}
	parse := func(line []byte) (identity, error) {
		item, err := m.DecodeItem(line)
		return identity{id: item.ID, digest: item.Digest()}, err
	}
	return ids, EachStored(in, parse, func(line StoredLine[identity]) error {
		ids[line.Value.digest] = line.Value.id
		return line.Err
	})
}

// NewItemSet returns the set of items whose digests are the keys of ids.
func NewItemSet(ids map[uint64]string) ItemSet {
	var set []byte
	for _, digest := range slices.Sorted(maps.Keys(ids)) {
		set = binary.BigEndian.AppendUint64(set, digest)
	}
	return ItemSet(set)
}

// Len returns the number of items in the set.
func (s ItemSet) Len() int { return len(s) / 8 }

// digestAt returns the digest of the i-th item of the set, in ascending order of digests.
func (s ItemSet) digestAt(i int) uint64 { return binary.BigEndian.Uint64([]byte(s[8*i : 8*i+8])) }

// Has reports whether an item with the digest is in the set.
func (s ItemSet) Has(digest uint64) bool {
	i := sort.Search(s.Len(), func(i int) bool { return s.digestAt(i) >= digest })
	return i < s.Len() && s.digestAt(i) == digest
}

// Common returns the items that both sets have. It stops once more than maxMissing items of s are not in o.
func (s ItemSet) Common(o ItemSet, maxMissing int) ItemSet {
	var common []byte
	for i := 0; i < s.Len() && i-len(common)/8 <= maxMissing; i++ {
		if o.Has(s.digestAt(i)) {
			common = append(common, s[8*i:8*i+8]...)
		}
	}
	return ItemSet(common)
}

// SubsetOf reports whether o has all items of s.
func (s ItemSet) SubsetOf(o ItemSet) bool { return s.Common(o, 0) == s }

// maxMissingItemsPercent is the percentage of items that one of two runs may lack if their judges are still ranked
// together, on the items that both have: items made of a judge's own answers leave out questions without one.
const maxMissingItemsPercent = 5

// AlmostEqual reports whether at most maxMissingItemsPercent of the larger set's items are not in both sets.
func (s ItemSet) AlmostEqual(o ItemSet) bool {
	all := max(s.Len(), o.Len())
	maxMissing := maxMissingItemsPercent * all / 100
	return s == o || all-s.Common(o, maxMissing).Len() <= maxMissing && all > 0
}
