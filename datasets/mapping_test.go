package datasets

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"gotest.tools/v3/assert"
)

// utf16Of returns a text as spreadsheets save it in UTF-16.
func utf16Of(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func mappedBy(fields string, values ...string) OpenOptions {
	return OpenOptions{Mapping: Mapping{Fields: []string{fields}, LabelValues: values}}
}

const ownCSV = "nr,prompt,out_1,out_2,winner\n7,\"Say \"\"hi\"\",\n please.\",=1+1,\"b,\u00e9\",model_a\n" +
	"8,Why?,x,y,model_b\n\n9,How?,x,y,tie\n10,When?,x,y,\n"

// However a table is packed and encoded, it has the same items.
func TestMapping(t *testing.T) {
	mapping := mappedBy("question=prompt,response_a=out_1,response_b=out_2,label=winner")
	for name, content := range map[string]string{
		"CSV":         ownCSV,
		"with a mark": "\ufeff" + ownCSV,
		"UTF-16":      utf16Of(binary.LittleEndian, ownCSV),
		"other UTF":   utf16Of(binary.BigEndian, ownCSV),
		"gzip":        gzipOf(t, ownCSV),
	} {
		s, err := openBytes("own.csv", []byte(content), mapping)
		assert.NilError(t, err, name)
		all := items(t, s)
		assert.Equal(t, len(all), 4, name)
		assert.Equal(t, all[0].Question, "Say \"hi\",\n please.", name)
		assert.Equal(t, all[0].Candidates[1].Text, "b,\u00e9", name)
		for i, line := range []int{2, 4, 6, 7} {
			assert.Equal(t, all[i].Line, line, name)
			assert.Equal(t, all[i].Gold, []int{0, 1, NoGold, NoGold}[i], name)
		}
		note := "2 of 4 pairs have no label that names a response, 1 of them labelled a tie: they are judged, count for " +
			"consistency and position, and are left out of what needs a label."
		assert.DeepEqual(t, s.Notes, []string{note})
		assert.Assert(t, s.MappedFileSHA256 == HexSum([]byte(content)) && s.SHA256 != s.MappedFileSHA256, name)
		back, err := openBytes("own.csv", []byte(content), OpenOptions{Mapping: s.Mapping})
		assert.Assert(t, err == nil && back.SHA256 == s.SHA256, "the mapping as it was understood, %s, is another", s.Mapping)
	}
}

// Texts that archives cannot hold.
func TestMappingErrors(t *testing.T) {
	const pairs = "question=p,response_a=a,response_b=b,label=w"
	long := strings.Repeat("x", 1<<20)
	for content, want := range map[string]string{
		"p,a,b,w\nQ,x,y,A\nQ,\xe9,y,A\n": "FILE:3: not UTF-8: save the file as UTF-8",
		strings.TrimPrefix(utf16Of(binary.LittleEndian, "p,a,b,w\n"), "\xff\xfe"): "FILE: a third of its first bytes is " +
			"NUL: it is not text, or UTF-16 without a byte order mark: save it as UTF-8",
		utf16Of(binary.LittleEndian, "p,a\nx") + "y": "FILE: the UTF-16 text ends in the middle of a character: " +
			"get the file again",
		"p,a,b,w\nQ," + long + ",y," + long + "\n": `FILE:2: label "` + long[:40] + `…": unclear which response it names; say so with ` +
			`--label-values 'A>B=…,B>A=…,tie=…' (no usable line among 1; expected rows as in --field ` + pairs + `)`,
	} {
		path := write(t, "own.csv", content)
		_, err := openFileWith(path, mappedBy(pairs))
		oneLine(t, err, path, want)
	}
}

// Cells of any length and with any character are read as they are.
func TestHostileCells(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for name, cell := range map[string]string{"1 MB": long, "NUL": "a\x00b", "a formula": "=HYPERLINK(\"http://x\",\"y\")", "a command": "@SUM(1+1)*cmd|' /C calc'!A0", "lines": "a\n\n\"b\"\u2028c", "control": "\x1b[31mred\x07"} {
		content := "p,a,b\nQ,\"" + strings.ReplaceAll(cell, `"`, `""`) + "\",y\nR,x,y\n"
		s, err := openBytes("own.csv", []byte(content), mappedBy("question=p,response_a=a,response_b=b"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := item(t, s, 0).Candidates[0].Text; got != cell || item(t, s, 1).Line != 3+strings.Count(cell, "\n") {
			t.Errorf("%s: %.80q", name, got)
		}
	}
}
