package judging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging/judgingtest"
)

// TestItemsOfAFolder: the ids, digests and responses of items.jsonl are those of its lines; a line that is no item has
// no responses, and no set of items.
func TestItemsOfAFolder(t *testing.T) {
	set := judgingtest.Pairs(t, 3)
	var lines strings.Builder
	for row := range set.Len() {
		raw, err := set.Raw(row)
		assert.NilError(t, err)
		lines.WriteString(string(raw) + "\n")
	}
	m := testManifest()
	m.Dataset.Format = set.Format
	ids, err := ReadIDsByDigest(m, strings.NewReader(lines.String()))
	assert.NilError(t, err)
	all := NewItemSet(ids)
	assert.Equal(t, all.Len(), 3)
	assert.Assert(t, all.SubsetOf(all) && all.AlmostEqual(all))
	var responses []string
	err = EachResponse(m, strings.NewReader(lines.String()+"no item\n"), func(id string, list []Candidate) {
		responses = append(responses, id+": "+list[0].Text+", "+list[1].Text)
	})
	assert.NilError(t, err)
	assert.DeepEqual(t, responses, []string{"p1: 1, 2", "p2: 2, 3", "p3: 3, 4"})
	_, err = ReadIDsByDigest(m, strings.NewReader("no item\n"))
	assert.Assert(t, err != nil)
	dir := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(dir, ItemsFile), []byte(lines.String()), 0o644))
	itemIDs, err := ItemIDs(dir)
	assert.NilError(t, err)
	assert.DeepEqual(t, itemIDs, []string{"p1", "p2", "p3"})
}
