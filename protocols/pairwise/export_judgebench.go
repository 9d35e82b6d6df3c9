package pairwise

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/protocols/imports"
)

// exportJudgeBench writes a run of pairs in JudgeBench's own output format, in the order of its items. The pairs of
// which nothing is recorded are left out, and counted.
func exportJudgeBench(dir string, w io.Writer) (written, left int, err error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return 0, 0, err
	}
	p, err := judging.AskerOf(m)
	if err != nil {
		return 0, 0, err
	}
	if _, ok := p.(pairwise); !ok {
		return 0, 0, fmt.Errorf("%s: protocol %s has no JudgeBench format", dir, p.Name())
	}
	games := map[string]*[2]*judging.Record{}
	err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		if games[r.Item] == nil {
			games[r.Item] = new([2]*judging.Record)
		}
		if r.Presentation < 2 {
			games[r.Item][r.Presentation] = r
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return 0, 0, err
	}
	defer set.Close()
	out := bufio.NewWriter(w)
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return written, left, err
		}
		g := games[item.ID]
		if g == nil {
			left++
			continue
		}
		line, err := outputLine(m, p, item, g)
		if err != nil {
			return written, left, err
		}
		out.Write(line)
		written++
	}
	return written, left, out.Flush()
}

func judgeName(m *judging.Manifest) string {
	switch {
	case m.JudgeName != "":
		return m.JudgeName
	case m.Spec.Protocol == Protocol.Name && m.Spec.Prompt.Name == "arena-hard":
		return arenaHardName
	}
	return ownPrefix + m.Spec.Protocol + "_" + m.Spec.Prompt.Name
}

func outputLine(m *judging.Manifest, p judging.Asker, item datasets.Item, games *[2]*judging.Record) ([]byte, error) {
	line := bytes.Clone(bytes.TrimRight(item.Raw, " \t"))
	if bytes.Contains(line, []byte(`"judgments"`)) { // judged from an output file
		var err error
		line, err = pairKeys(line)
		if err != nil {
			return nil, err
		}
	}
	line = line[:len(line)-1] // without its closing brace
	line = append(line, `, "judge_name": `...)
	line = imports.PythonString(line, judgeName(m))
	line = append(line, `, "judgments": [`...)
	n := 2
	if games[1] == nil && m.Imported != "" || games[1] != nil && games[1].Imported != nil && games[1].Imported.Single {
		n = 1 // a single-game file
	}
	for g := range n {
		if g > 0 {
			line = append(line, ", "...)
		}
		line = appendGame(line, p, item, games[g])
	}
	return append(line, "]}\n"...), nil
}

func appendGame(line []byte, p judging.Asker, item datasets.Item, r *judging.Record) []byte {
	if r == nil || r.Outcome == judging.Failed {
		return append(line, "null"...)
	}
	prompt := ""
	response := ""
	decision := decision(r)
	var scores json.RawMessage
	if im := r.Imported; im != nil {
		prompt = im.Prompt
		scores = im.Scores
		decision = im.Decision
		if len(r.Replies) > 0 {
			response = r.Replies[0].Text
		}
	} else {
		prompt = p.Prompt(item, r.Shown()).User
		response = r.Text()
	}
	line = append(line, `{"judgment": {"judge_model": `...)
	line = append(imports.PythonString(line, r.Model), `, "prompt": `...)
	line = append(imports.PythonString(line, prompt), `, "response": `...)
	line = imports.PythonString(line, response)
	if scores != nil {
		line = append(append(line, `, "scores": `...), pythonList(scores)...)
	}
	line = append(line, `}, "decision": `...)
	if decision == nil {
		line = append(line, "null"...)
	} else {
		line = imports.PythonString(line, *decision)
	}
	return append(line, '}')
}

// pythonList puts the space behind the comma that json.dumps writes; the digits of the numbers stay as they are.
func pythonList(list json.RawMessage) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, list) != nil {
		return list
	}
	return bytes.ReplaceAll(compact.Bytes(), []byte{','}, []byte(", "))
}

// ExportTo is ExportJudgeBench into a new file or, where that is "", to a writer.
func ExportTo(run, file string, w io.Writer) (written, left int, err error) {
	export := func(w io.Writer) (err error) {
		written, left, err = exportJudgeBench(run, w)
		return err
	}
	switch _, gone := os.Lstat(file); {
	case file == "":
		err = export(w)
	case gone == nil:
		err = &fs.PathError{Op: "open", Path: file, Err: fs.ErrExist}
	default:
		err = disk.Write(file, export)
	}
	return written, left, err
}
