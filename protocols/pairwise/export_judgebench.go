package pairwise

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/protocols/imports"
)

// exportJudgeBench writes the run of pairs in the folder dir to w in JudgeBench's output format, in the order of its
// items. It skips pairs without records, and counts them.
func exportJudgeBench(dir string, w io.Writer) (written, skipped int, err error) {
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
	out := bufio.NewWriter(w)
	var failed error
	err = judging.EachItem(dir, func(item datasets.Item) {
		var line []byte
		g := games[item.ID]
		switch {
		case failed != nil:
		case g == nil:
			skipped++
		default:
			line, failed = judgeBenchLine(m, p, item, g)
			out.Write(line)
			written++
		}
	})
	return written, skipped, cmp.Or(err, failed, out.Flush())
}

// judgeName returns the judge_name that JudgeBench's format has for a run's judge; for gavel's own
// runs, protocol and prompt.
func judgeName(m *judging.Manifest) string {
	switch {
	case m.JudgeName != "":
		return m.JudgeName
	case m.Spec.Protocol == Protocol.Name && m.Spec.Prompt.Name == "arena-hard":
		return arenaHardJudge
	}
	return gavelJudgePrefix + m.Spec.Protocol + "_" + m.Spec.Prompt.Name
}

// judgeBenchLine returns the line of JudgeBench's output file for a pair: the item's keys as published and its
// games, one for each order.
func judgeBenchLine(
	m *judging.Manifest, p judging.Asker, item datasets.Item, games *[2]*judging.Record,
) ([]byte, error) {
	pair := bytes.Clone(bytes.TrimRight(item.Raw, " \t"))
	if bytes.Contains(pair, []byte(`"judgments"`)) { // the dataset was an output file
		var err error
		pair, err = stripHarnessKeys(pair)
		if err != nil {
			return nil, err
		}
	}
	judge := benchKeys{JudgeName: new(judgeName(m)), Judgments: []*benchGame{gameOfRecord(p, item, games[0])}}
	second := games[1]
	single := second == nil && m.Imported != "" || second != nil && second.Imported != nil && second.Imported.SingleOrder
	if !single {
		judge.Judgments = append(judge.Judgments, gameOfRecord(p, item, second))
	}
	keys, err := imports.EncodeLikePython(judge)
	if err != nil {
		return nil, err
	}
	return slices.Concat(pair[:len(pair)-1], []byte(", "), keys[1:], []byte("\n")), nil // without the inner braces
}

// gameOfRecord returns a record as a game (a judgment in one order) of JudgeBench's format; nil without a judgment.
func gameOfRecord(p judging.Asker, item datasets.Item, r *judging.Record) *benchGame {
	if r == nil || r.Outcome == judging.Failed {
		return nil
	}
	game := &benchGame{Judgment: &benchJudgment{JudgeModel: r.Model}, Decision: judgeBenchLabel(r)}
	if im := r.Imported; im != nil {
		game.Decision = im.Decision
		game.Judgment.Prompt = im.Prompt
		game.Judgment.Scores = im.Scores
		if len(r.Replies) > 0 {
			game.Judgment.Response = r.Replies[0].Text
		}
		return game
	}
	game.Judgment.Prompt = p.Prompt(item, r.Shown()).User
	game.Judgment.Response = r.Text()
	return game
}

// Export writes a run of pairs in JudgeBench's format to a new file, or to w if file is "", and returns how many pairs
// it wrote and how many it skipped, as they have no record.
func Export(run, file string, w io.Writer) (written, skipped int, err error) {
	export := func(w io.Writer) (err error) {
		written, skipped, err = exportJudgeBench(run, w)
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
	return written, skipped, err
}
