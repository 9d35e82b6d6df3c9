package imports

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging/judgingtest"
)

// TestDamagedArchives: an archive that cannot be read through is said to be so, and in which file of it.
func TestDamagedArchives(t *testing.T) {
	whole := judgingtest.Zip(t, "rows.json", `[{"text": "`+strings.Repeat("so ", 4000)+`"}]`)
	damaged := []byte(whole)
	damaged[len("PK")+60] ^= 0xff
	encrypted := []byte(whole)
	encrypted[bytes.Index(encrypted, []byte(zipMagic))+6] |= 1 // the flags of both headers
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	for want, text := range map[string]string{
		`"rows.json" in the zip archive is encrypted: unpack it first`: string(encrypted),
		"is not a whole zip archive":                                   whole[:len(whole)/2],
		"rows.json in it: is damaged":                                  string(damaged),
	} {
		path := filepath.Join(t.TempDir(), "rows.zip")
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o666))
		source, err := Open(path)
		if err == nil {
			err = source.Each(func(int, json.RawMessage) error { return nil })
			source.Close()
		}
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, path)
	}
}
