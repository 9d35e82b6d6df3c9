package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"
)

const root = "../.."

// TestWhatIsWrittenIsCurrent compares docs/formats.md and docs/schemas with today's types.
func TestWhatIsWrittenIsCurrent(t *testing.T) {
	copied := t.TempDir()
	for _, dir := range append([]string{"docs"}, packages...) {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.*"))
		assert.NilError(t, err)
		assert.NilError(t, os.MkdirAll(filepath.Join(copied, dir), 0o755))
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil {
				assert.NilError(t, os.WriteFile(filepath.Join(copied, dir, filepath.Base(file)), text, 0o644))
			}
		}
	}
	assert.NilError(t, os.MkdirAll(filepath.Join(copied, "docs", "schemas"), 0o755))
	assert.NilError(t, writeFormats(copied))
	names := []string{"formats.md"}
	for _, d := range documents {
		names = append(names, "schemas/"+d.name+".schema.json")
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(copied, "docs", name))
		assert.NilError(t, err)
		have, err := os.ReadFile(filepath.Join(root, "docs", name))
		assert.NilError(t, err)
		assert.Equal(t, string(have), string(want), "docs/%s is not what the types say: scripts/docs.sh", name)
	}
}

// TestEveryKeyIsSaid checks that every field in a document has a comment.
func TestEveryKeyIsSaid(t *testing.T) {
	texts, err := comments(root)
	assert.NilError(t, err)
	for _, d := range documents {
		schema, _, err := d.describe(texts)
		assert.NilError(t, err)
		for _, key := range undocumented(schema, "") {
			t.Errorf("%s: %s has no comment", d.name, key)
		}
	}
}

func undocumented(s *jsonschema.Schema, path string) (keys []string) {
	for name, property := range s.Properties {
		if property.Description == "" {
			keys = append(keys, path+name)
		}
		for inner := property; inner != nil; inner = inner.Items {
			keys = append(keys, undocumented(inner, path+name+".")...)
		}
	}
	return keys
}

// TestStoredRunsFitTheSchemas checks the runs of an earlier gavel against the schemas: they have no unknown key.
func TestStoredRunsFitTheSchemas(t *testing.T) {
	texts, err := comments(root)
	assert.NilError(t, err)
	schemas := map[string]*jsonschema.Resolved{}
	for _, d := range documents {
		d.strict = true
		schema, _, err := d.describe(texts)
		assert.NilError(t, err)
		schemas[d.name], err = schema.Resolve(nil)
		assert.NilError(t, err)
	}
	archive, err := os.Open(filepath.Join(root, "scripts/golden/testdata/made-by-38db738.tar.zst"))
	assert.NilError(t, err)
	defer archive.Close()
	unpacked, err := zstd.NewReader(archive)
	assert.NilError(t, err)
	defer unpacked.Close()
	checked := map[string]int{}
	for r := tar.NewReader(unpacked); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		assert.NilError(t, err)
		name, ok := map[string]string{"run.json": "run", "records.jsonl": "record", "results.json": "results"}[path.Base(head.Name)]
		if !ok {
			continue
		}
		for values := json.NewDecoder(r); ; checked[name]++ {
			var value any
			if err := values.Decode(&value); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break // a killed run's last line is not whole
			} else if err != nil {
				t.Fatalf("%s: %v", head.Name, err)
			}
			if err := schemas[name].Validate(value); err != nil {
				t.Errorf("%s: %v", head.Name, err)
			}
		}
	}
	for _, name := range []string{"run", "record", "results"} {
		assert.Assert(t, checked[name] > 10, "only %d of %s", checked[name], name)
	}
}
