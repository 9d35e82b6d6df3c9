package pairwise

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// JudgeBench's output files have the pair's own keys, judge_name, and judgments, a list of games. Game 0 was shown (A,
// B), game 1 (B, A). A decision is in the positions shown, with ">>" written as ">". A game that failed is null.
// Imported and exported bytes are those of Python's json.dumps with ensure_ascii=False.

// benchGame is the judgment of a pair in one order, as in JudgeBench's output files.
type benchGame struct {
	Judgment *benchJudgment `json:"judgment"`
	Decision *string        `json:"decision"` // label, in the positions shown

	isMirrorCopy bool // copied from the game in the other order
}

// benchJudgment is the judge's prompt and reply in one game of JudgeBench's output files.
type benchJudgment struct {
	JudgeModel string          `json:"judge_model"`
	Prompt     string          `json:"prompt"`
	Response   string          `json:"response"`
	Scores     json.RawMessage `json:"scores,omitzero"` // of both responses, if each was scored alone
}

// benchKeys has the keys that JudgeBench's harness adds to a line of its dataset: the judge and its games.
type benchKeys struct {
	JudgeName *string      `json:"judge_name"`
	Judgments []*benchGame `json:"judgments"`
}

// mirror returns the same game in the other order for a judge that scores each response alone (JudgeBench's
// --single_game), since such scores do not depend on the order. It returns nil for other games.
func (g *benchGame) mirror() *benchGame {
	var scores []json.RawMessage
	if g == nil || g.Judgment == nil || json.Unmarshal(g.Judgment.Scores, &scores) != nil || len(scores) != 2 {
		return nil
	}
	judgment := *g.Judgment
	judgment.Scores, _ = json.Marshal([]json.RawMessage{scores[1], scores[0]})
	return &benchGame{Judgment: &judgment, isMirrorCopy: true}
}

// arenaHardJudge is the judge_name in JudgeBench's files whose replies gavel can read. Replies of its other
// judges have other formats.
const arenaHardJudge = "arena_hard"

// judgeBenchSource is the source that runs imported from JudgeBench's output files name.
const judgeBenchSource = "JudgeBench output file"

// ImportJudgeBench turns an output file of JudgeBench's harness into a run.
func ImportJudgeBench(r imports.Input) ([]*imports.ImportedRun, error) {
	path := r.Files[0]
	set, err := datasets.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	var in *pairImport
	var judge, model string
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		lineError := func(err error) error { return &datasets.LineError{Path: set.Path, Line: item.Line, Err: err} }
		pair, name, games, err := splitJudgeBenchLine(item.Raw)
		if err != nil {
			return nil, lineError(err)
		}
		if in == nil {
			judge = name
			comparison, stored := importedProtocol(name)
			in = newPairImport(r.Out, comparison)
			in.usesFileVerdicts = stored
		}
		if name != judge {
			return nil, lineError(fmt.Errorf("judge_name is %q, before it was %q: one judge a file", name, judge))
		}
		item.Raw = pair
		if mirrored := games[0].mirror(); len(games) == 1 && mirrored != nil {
			games = append(games, mirrored)
		}
		var judgments []imports.StoredJudgment
		for g, game := range games {
			j, err := in.judgment(item, g, game)
			if err != nil {
				return nil, lineError(fmt.Errorf("game %d: %w", g+1, err))
			}
			judgments = append(judgments, j)
			if game == nil || game.Judgment == nil || game.Judgment.JudgeModel == "" {
				continue
			}
			model = cmp.Or(model, game.Judgment.JudgeModel)
			if now := game.Judgment.JudgeModel; now != model {
				return nil, lineError(fmt.Errorf("judge_model is %q, before it was %q: one judge a file", now, model))
			}
		}
		if err := in.add(item, judgments...); err != nil {
			return nil, lineError(err)
		}
	}
	info := judging.DatasetInfo{
		Name:    datasets.ShortName(set.Path),
		Format:  set.Format,
		Rows:    set.Len(),
		Skipped: set.Skipped,
	}
	for _, b := range set.SkipReasons {
		info.BadLines = append(info.BadLines, b.Error())
	}
	in.SetManifest(r.Gavel, judgeBenchSource, path, in.protocol.runSpec(judging.DatasetSpec{SHA256: set.SHA256},
		judging.ModelSpec{Name: model, Identity: "imported " + model}), info)
	return in.finish(judge)
}

// importedProtocol returns the comparison that a judge_name stands for: Arena-Hard's prompt with five choices, or a
// prompt of gavel as judgeName writes it. For any other judge, stored is true: its decisions are taken from the file,
// and only the name of its prompt is known.
func importedProtocol(judgeName string) (p pairwise, stored bool) {
	protocol, name := Protocol, judgeName
	if judgeName == arenaHardJudge {
		name = "arena-hard"
	}
	for _, k := range []judging.Protocol{Protocol, Reversed} {
		if prompt, ok := strings.CutPrefix(judgeName, gavelJudgePrefix+k.Name+"_"); ok {
			protocol, name = k, prompt
		}
	}
	if t, err := protocol.Template(name); err == nil && name != judgeName {
		if p, reads := protocol.NewAsker(t, nil).(pairwise); reads {
			return p, false
		}
	}
	return harnessAsker(protocol, name, judgeBenchSource), true
}

// gavelJudgePrefix starts the judge_name of runs that gavel made itself.
const gavelJudgePrefix = "gavel_"

// splitJudgeBenchLine splits a line of JudgeBench's output file into the pair, with its keys as published, the
// judge_name and the games.
func splitJudgeBenchLine(line []byte) (pair []byte, judge string, games []*benchGame, err error) {
	var all benchKeys
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, "", nil, err
	}
	if all.JudgeName == nil || len(all.Judgments) == 0 {
		return nil, "", nil, errors.New("no judge_name or no judgments: this is not a JudgeBench output file")
	}
	if len(all.Judgments) > 2 {
		return nil, "", nil, fmt.Errorf("%d judgments, expected one or two", len(all.Judgments))
	}
	pair, err = stripHarnessKeys(line)
	return pair, *all.JudgeName, all.Judgments, err
}

// stripHarnessKeys returns a line of JudgeBench's output file without the keys that its harness added.
func stripHarnessKeys(line []byte) ([]byte, error) {
	return imports.WithoutKeys(line, nil, "judge_name", "judgments")
}

// judgment returns the stored judgment of a game, which is the item's judgment in order 0 (as published) or 1.
func (in *pairImport) judgment(
	item datasets.Item, presentation int, game *benchGame,
) (j imports.StoredJudgment, err error) {
	if game == nil || game.Judgment == nil {
		return j, nil
	}
	b := game.Judgment
	j = imports.StoredJudgment{Prompt: b.Prompt, Scores: b.Scores, Decision: game.Decision, SingleOrder: game.isMirrorCopy}
	if !in.usesFileVerdicts || b.Response != "" {
		j.Replies = []string{b.Response}
	}
	if in.usesFileVerdicts {
		v, err := storedVerdict(in.Asker, in.Asker.Presentations(item)[presentation], game)
		if err != nil {
			return j, err
		}
		j.Verdict = &v
	}
	return j, nil
}

// storedVerdict returns the verdict of a game whose reply gavel does not read: by the two scores if the game has them
// (the response shown first must score higher to win), else by the decision in the file.
func storedVerdict(p judging.Asker, s judging.Presentation, game *benchGame) (judging.Verdict, error) {
	var scores []float64
	label := game.Decision
	if len(game.Judgment.Scores) > 0 {
		if err := json.Unmarshal(game.Judgment.Scores, &scores); err != nil || len(scores) != 2 {
			return judging.Verdict{}, fmt.Errorf("scores %s are not two numbers", game.Judgment.Scores)
		}
		label = new(labelB)
		if scores[0] > scores[1] {
			label = new(labelA)
		}
	}
	if label == nil {
		return judging.EmptyVerdict(judging.NoVerdict), nil
	}
	v := p.Parse(s, "[["+*label+"]]", judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	if v.Outcome == judging.NoVerdict {
		return v, fmt.Errorf("decision %q is none of A>B, B>A, A=B and null", *label)
	}
	return v, nil
}
