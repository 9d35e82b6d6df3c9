package pairwise

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// JudgeBench's output files: the pair's own keys, judge_name, and judgments, a list of games. Game 0 was shown (A, B),
// game 1 (B, A); a decision is written as the judge said it, in the positions shown, ">>" folded to ">". A game that
// failed is null. Both ways the bytes are Python's json.dumps with ensure_ascii=False.

type benchGame struct {
	Judgment *struct {
		JudgeModel string          `json:"judge_model"`
		Prompt     string          `json:"prompt"`
		Response   string          `json:"response"`
		Scores     json.RawMessage `json:"scores"`
	} `json:"judgment"`
	Decision *string `json:"decision"`

	turned bool // it stands for the other order
}

// inTheOtherOrder is the game in the other order, of a judge that gives each response a score of its own
// (--single_game): its scores do not depend on the order. It is nil of other games.
func (g *benchGame) inTheOtherOrder() *benchGame {
	var scores []json.RawMessage
	if g == nil || g.Judgment == nil || json.Unmarshal(g.Judgment.Scores, &scores) != nil || len(scores) != 2 {
		return nil
	}
	judgment := *g.Judgment
	judgment.Scores, _ = json.Marshal([]json.RawMessage{scores[1], scores[0]})
	return &benchGame{Judgment: &judgment, turned: true}
}

// arenaHardName is what JudgeBench calls the judge whose replies our parser
// reads; the replies of its other judges have formats of their own.
const arenaHardName = "arena_hard"

// judgeBenchFile is where such a run comes from.
const judgeBenchFile = "JudgeBench output file"

// ImportJudgeBench turns a JudgeBench output file into the run directory out.
func ImportJudgeBench(path, out, gavel string) (*Import, error) {
	set, err := datasets.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	im := &Import{Run: imports.Run{Dir: out}}
	var records []*judging.Record
	var pairs [][]byte
	var judge, model string
	var asker judging.Asker
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		at := func(err error) error { return &datasets.LineError{Path: set.Path, Line: item.Line, Err: err} }
		pair, name, games, err := splitOutput(item.Raw)
		if err != nil {
			return nil, at(err)
		}
		if asker == nil {
			judge = name
			asker, im.Stored = importedProtocol(name)
		}
		if name != judge {
			return nil, at(fmt.Errorf("judge_name is %q, before it was %q: one judge a file", name, judge))
		}
		pairs = append(pairs, pair)
		single := len(games) == 1
		if single {
			games = append(games, games[0].inTheOtherOrder())
		}
		for g, game := range games {
			if g == 1 && single && game == nil {
				break
			}
			rec, err := im.record(item, g, game, asker)
			if err != nil {
				return nil, at(fmt.Errorf("game %d: %w", g+1, err))
			}
			if rec.Model != "" && model == "" {
				model = rec.Model
			}
			if rec.Model != "" && rec.Model != model {
				return nil, at(fmt.Errorf("judge_model is %q, before it was %q: one judge a file", rec.Model, model))
			}
			records = append(records, rec)
		}
	}
	info := judging.DatasetInfo{Name: datasets.Base(set.Path), Format: set.Format, Rows: set.Len(), Skipped: set.Skipped}
	for _, b := range set.Bad {
		info.Bad = append(info.Bad, b.Error())
	}
	im.Manifest = imports.Describe(gavel, judgeBenchFile, path, asker.(pairwise).spec(
		judging.DatasetSpec{SHA256: set.SHA256, Items: set.Len(), IDs: judging.HashIDs(set.Len(), set.ID)},
		judging.ModelSpec{Name: model, Identity: "imported " + model}), im.Games, info)
	return im, im.write(judge, pairs, records)
}

// importedProtocol is the protocol that a judge_name stands for, and whether its replies can be read: Arena-Hard's five
// choices, or a prompt of gavel's own as judgeName writes it. Of others the decisions are taken as stored; nothing is
// read, and the prompt is known by its name alone.
func importedProtocol(judgeName string) (p judging.Asker, stored bool) {
	if judgeName == arenaHardName {
		t, _ := Protocol.Template("arena-hard")
		return Protocol.New(t, nil), false
	}
	protocol, name := Protocol, judgeName
	for _, k := range []judging.Protocol{Protocol, Reversed} {
		if own, ok := strings.CutPrefix(judgeName, ownPrefix+k.Name+"_"); ok {
			protocol, name = k, own
			if t, err := k.Template(own); err == nil {
				return k.New(t, nil), false
			}
		}
	}
	return protocol.New(
		judging.Template{Name: name, Origin: judgeBenchFile, Labels: []string{labelA, labelB, labelTie}}, nil,
	), true
}

// ownPrefix begins the judge_name of a run of gavel's.
const ownPrefix = "gavel_"

// splitOutput takes a line apart: the pair's own keys as published, and the judge's.
func splitOutput(line []byte) (pair []byte, judge string, games []*benchGame, err error) {
	var all struct {
		JudgeName *string      `json:"judge_name"`
		Judgments []*benchGame `json:"judgments"`
	}
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, "", nil, err
	}
	if all.JudgeName == nil || len(all.Judgments) == 0 {
		return nil, "", nil, errors.New("no judge_name or no judgments: this is not a JudgeBench output file")
	}
	if len(all.Judgments) > 2 {
		return nil, "", nil, fmt.Errorf("%d judgments, expected one or two", len(all.Judgments))
	}
	pair, err = pairKeys(line)
	return pair, *all.JudgeName, all.Judgments, err
}

// pairKeys is a line without the judge's keys.
func pairKeys(line []byte) ([]byte, error) {
	return imports.Without(line, nil, "judge_name", "judgments")
}

// record makes one game a record, and compares what we read with what the file says was decided.
func (im *Import) record(item datasets.Item, g int, game *benchGame, p judging.Asker) (*judging.Record, error) {
	rec := newRecord(p, item, g)
	im.Games++
	if game == nil || game.Judgment == nil {
		return im.lacks(rec), nil
	}
	j := game.Judgment
	rec.Model = j.JudgeModel
	rec.Imported = &judging.Imported{Prompt: j.Prompt, Scores: j.Scores, Decision: game.Decision, Stored: im.Stored}
	if !im.Stored || j.Response != "" {
		rec.Replies = []judging.Reply{{Text: j.Response, Finish: backends.Stop}}
	}
	var v judging.Verdict
	var err error
	if im.Stored {
		v, err = decided(p, rec.Shown(), game)
	} else {
		v, err = rec.Read(p, judging.Reading{Policy: judging.Unique})
	}
	if err != nil {
		return nil, err
	}
	rec.Take(v)
	if game.turned {
		im.Turned++
		rec.Imported.Single = true
		rec.Imported.Decision = decision(rec)
		return rec, nil
	}
	im.compare(rec, game.Decision)
	return rec, nil
}

// decided is the verdict of a game without text of ours to read: by its scores where it has them (the first shown must
// score higher to win), else by the decision in the file.
func decided(p judging.Asker, s judging.Presentation, game *benchGame) (judging.Verdict, error) {
	var scores []float64
	if len(game.Judgment.Scores) > 0 {
		if err := json.Unmarshal(game.Judgment.Scores, &scores); err != nil || len(scores) != 2 {
			return judging.Verdict{}, fmt.Errorf("scores %s are not two numbers", game.Judgment.Scores)
		}
		label := labelB
		if scores[0] > scores[1] {
			label = labelA
		}
		return p.Parse(s, "[["+label+"]]", judging.Reading{Policy: judging.Unique}), nil
	}
	if game.Decision == nil {
		return judging.Silent(judging.NoVerdict), nil
	}
	v := p.Parse(s, "[["+*game.Decision+"]]", judging.Reading{Policy: judging.Unique})
	if v.Outcome == judging.NoVerdict {
		return v, fmt.Errorf("decision %q is none of A>B, B>A, A=B and null", *game.Decision)
	}
	return v, nil
}
