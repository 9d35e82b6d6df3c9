package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// fastChat is what came of importing pair judgments.
type fastChat struct {
	*importedRun
	Ties, Inconsistent int // verdicts that are ties; of those, because the two games differ
	Golds              int // pairs with a gold
	Split              int // pairs that people voted on, but no more than half of them alike
	Human              *imports.Votes
}

// importFastChat turns pair judgments of FastChat's judge, or of a published snapshot of them, into the run directory
// out: a preference a pair and turn, with what most people voted for as gold, where human names a file of votes. No
// such file has the conversations, so that the items have no texts.
func importFastChat(path, human, out, model, gavel string) (*fastChat, error) {
	src, err := imports.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	im := &fastChat{}
	golds := map[string]int{}
	if human != "" {
		im.Human, err = imports.ReadVotes(human)
		if err != nil {
			return nil, err
		}
		golds, im.Split = goldsOf(im.Human.Votes)
	}
	judge := ""
	f := &answersFile{
		kind:    "fastchat",
		about:   "FastChat pair judgments",
		source:  src,
		dataset: judging.DatasetInfo{Name: "mt-bench", Format: datasets.Questions.Name},
		check:   checkGames,
		refuse: func(row answerRow) error {
			name := judgeModel(row.vote.Judge)
			judge = cmp.Or(judge, name)
			if name != judge {
				return fmt.Errorf("%s: judge is %q, before it was %q: one judge a file", row.where, name, judge)
			}
			return nil
		},
	}
	err = f.gather("rows with question_id, turn, judge, and model_a, model_b, winner or model_1, "+
		"model_2, g1_winner, g2_winner", func(raw json.RawMessage) (answerRow, error) { return judgmentRow(raw, golds) })
	if err != nil {
		return nil, err
	}
	f.model = cmp.Or(model, judge)
	for _, row := range f.rows {
		im.count(row)
	}
	im.importedRun, err = f.run(out, gavel)
	if err == nil {
		im.say()
	}
	return im, err
}

func (im *fastChat) say() {
	im.importedRun.say()
	im.Say("%d verdicts are ties, %d of them because the two games differ", im.Ties, im.Inconsistent)
	if im.Told > 0 {
		im.Say("the winners of both games are as read from the replies in %d of %d", im.Same, im.Told)
	}
	if im.Human == nil {
		im.Say("without --human no pair has a gold")
		return
	}
	im.Said = append(im.Said, imports.Skipped(im.Human.Skipped, "rows of votes", im.Human.Bad)...)
	im.Say("%d pairs have what more than half of the votes are for as gold; "+
		"on %d people are divided, and there is none", im.Golds, im.Split)
}

func (im *fastChat) count(row answerRow) {
	if row.item.Gold != datasets.NoGold {
		im.Golds++
	}
	if row.stored.Choice == judging.VoteTie {
		im.Ties++
		if strings.Contains(row.stored.Label, "inconsistent") {
			im.Inconsistent++
		}
	}
}

// judgeModel is the model of a judge: of FastChat's model and prompt the first,
// since its prompt depends on the question.
func judgeModel(raw json.RawMessage) string {
	var parts []string
	if json.Unmarshal(raw, &parts) == nil && len(parts) > 0 {
		return parts[0]
	}
	return datasets.Scalar(raw)
}

// judgmentRow makes a row an answered item.
func judgmentRow(raw json.RawMessage, golds map[string]int) (answerRow, error) {
	var r imports.VoteRow
	if err := imports.DecodeRow(raw, &r); err != nil {
		return answerRow{}, err
	}
	v, err := r.Vote()
	stored := judging.Verdict{Outcome: judging.Decided, Choice: v.Winner, Label: v.Label}
	if errors.Is(err, imports.ErrNoWinner) {
		stored, err = judging.Verdict{Outcome: judging.NoVerdict, Choice: judging.Nobody, Label: v.Label}, nil
	}
	if err != nil {
		return answerRow{}, err
	}
	row := answerRow{line: lineOfVote(v, golds), told: &v.Label, stored: &stored, prompt: r.G1Prompt, vote: r}
	row.item, err = datasets.Questions.Parse(row.line)
	if err != nil {
		return row, err
	}
	if r.G1Verdict != "" || r.G2Verdict != "" {
		row.replies = []string{r.G1Verdict, r.G2Verdict}
	}
	return row, nil
}

// lineOfVote is the pair as a dataset line, without texts.
func lineOfVote(v judging.Vote, golds map[string]int) []byte {
	line := imports.PythonString([]byte(`{"id": `), v.Item())
	line = imports.PythonString(append(line, `, "category": `...), datasets.MTBenchCategory(v.Question))
	line = append(line, `, "source": "mt-bench", "question": "", "response_a": "", "response_b": "", "model_a": `...)
	line = imports.PythonString(append(imports.PythonString(line, v.A), `, "model_b": `...), v.B)
	gold := `, "gold": null}`
	if g, ok := golds[v.Item()]; ok {
		gold = `, "gold": "` + letter(g) + `"}`
	}
	return append(line, gold...)
}

// goldsOf is, by pair, what more than half of all votes are for, as in [datasets.MTBench]. Where no more than half
// agree there is none: split counts those.
func goldsOf(votes []judging.Vote) (golds map[string]int, split int) {
	counts := map[string]*[3]int{}
	for _, v := range votes {
		id := v.Item()
		if counts[id] == nil {
			counts[id] = new([3]int)
		}
		counts[id][v.Winner]++
	}
	golds = map[string]int{}
	for id, n := range counts {
		w := slices.IndexFunc(n[:], func(k int) bool { return 2*k > n[judging.VoteA]+n[judging.VoteB]+n[judging.VoteTie] })
		if w < 0 {
			split++
			continue
		}
		golds[id] = w
	}
	return golds, split
}

// checkGames reads the two games' replies and compares them with the winners in
// the file. In game 1 model_1 was shown as A, in game 2 model_2.
func checkGames(p judging.Asker, r *judging.Record, row answerRow) (told bool, differ string) {
	games := row.vote
	if !games.Games() {
		return false, ""
	}
	var wrong []string
	for i, game := range []struct {
		winner *string
		places [3]string
	}{{games.G1Winner, [3]string{"model_1", "model_2", "tie"}}, {games.G2Winner, [3]string{"model_2", "model_1", "tie"}}} {
		ours := "error"
		v := p.Parse(r.Shown(), row.replies[i], judging.Reading{Policy: judging.Unique})
		if v.Outcome == judging.Decided {
			ours = game.places[v.Choice]
		} else if v.Outcome == judging.Conflict {
			ours = "two verdicts that differ"
		}
		if ours != *game.winner {
			wrong = append(wrong, fmt.Sprintf("game %d: the file has %s, the reply says %s", i+1, *game.winner, ours))
		}
	}
	if len(wrong) == 0 {
		return true, ""
	}
	return true, fmt.Sprintf("%s, %s: %s (the file's verdict is kept)", row.where, r.Item, strings.Join(wrong, "; "))
}
