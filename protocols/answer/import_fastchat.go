package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
)

// importFastChat turns pair judgments of FastChat's judge, or of a published snapshot of them, into a run: one
// preference for each pair and turn. With a file of votes (--human), the majority vote is the label. The files lack the
// conversations, so the items have no texts.
func importFastChat(r imports.Input) ([]*imports.ImportedRun, error) {
	voteFile, human := r.Option("human"), new(imports.VoteFile)
	if voteFile != "" {
		var err error
		human, err = imports.ReadVotes(voteFile)
		if err != nil {
			return nil, err
		}
	}
	golds, split := goldsOf(human.Votes)
	f := &answersFile{
		kind:                 "fastchat",
		source:               "FastChat pair judgments",
		path:                 r.Files[0],
		model:                r.Option("model"),
		severalAuthorsFormat: "judge is %q, before it was %q: one judge a file",
		dataset:              judging.DatasetInfo{Name: "mt-bench", Format: datasets.QuestionsFormat.Name},
	}
	ties := 0
	inconsistent := 0
	labelled := 0
	err := f.gather("rows with question_id, turn, judge, and model_a, model_b, winner or model_1, "+
		"model_2, g1_winner, g2_winner", func(raw json.RawMessage) (answerRow, error) {
		row, err := judgmentRow(raw, golds)
		if err != nil {
			return row, err
		}
		if row.item.Gold != datasets.NoGold {
			labelled++
		}
		if row.Verdict.Choice == judging.VoteTie {
			ties++
		}
		if strings.Contains(row.Verdict.Label, "inconsistent") {
			inconsistent++
		}
		return row, nil
	})
	if err != nil {
		return nil, err
	}
	a, err := f.run(r.Out, r.Gavel)
	if err != nil {
		return nil, err
	}
	a.AddLine("%d verdicts are ties, %d of them because the two games differ", ties, inconsistent)
	if a.rowsWithReading > 0 {
		a.AddLine("the winners of both games are as read from the replies in %d of %d", a.sameReadings, a.rowsWithReading)
	}
	if voteFile == "" {
		a.AddLine("without --human no pair has a gold")
	} else {
		a.Summary = append(a.Summary, imports.SkippedRowsSummary(human.N, "rows of votes", human.First)...)
		a.AddLine("%d pairs have what more than half of the votes are for as gold; "+
			"on %d people are divided, and there is none", labelled, split)
	}
	return []*imports.ImportedRun{&a.ImportedRun}, nil
}

// judgmentRow parses a row of FastChat's judgments as an item with its judgment. golds has the labels of pairs by id: 0
// if people prefer the first model's response, 1 if the second's, 2 for a tie.
func judgmentRow(raw json.RawMessage, golds map[string]int) (row answerRow, err error) {
	var r imports.VoteRow
	if err := datasets.DecodeObject(raw, &r); err != nil {
		return row, err
	}
	v, err := r.Vote()
	verdict := judging.Verdict{Outcome: judging.Decided, Choice: v.Winner, Label: v.WinnerLabel}
	switch {
	case errors.Is(err, imports.ErrNoWinner):
		verdict.Outcome, verdict.Choice = judging.NoVerdict, judging.NoCandidate
	case err != nil:
		return row, err
	}
	pair := pairLine{
		ID: v.ItemID(), Category: datasets.MTBenchCategory(v.Question), Source: "mt-bench",
		ModelA: v.ModelA, ModelB: v.ModelB,
	}
	if gold, ok := golds[pair.ID]; ok {
		pair.Gold = new(letter(gold))
	}
	line, err := imports.EncodeLikePython(pair)
	if err != nil {
		return row, err
	}
	row.item, err = datasets.QuestionsFormat.Item(line)
	row.StoredJudgment = imports.StoredJudgment{Decision: &v.WinnerLabel, Verdict: &verdict, Prompt: r.G1Prompt}
	if r.G1Verdict != "" || r.G2Verdict != "" {
		row.Replies = []string{r.G1Verdict, r.G2Verdict}
	}
	if r.HasGames() {
		row.compareWithFile = games(r).compare
	}
	row.author = r.JudgeModel()
	return row, err
}

// pairLine is a pair of MT-Bench as a line of a dataset, without the texts of question and responses.
type pairLine struct {
	ID        string  `json:"id"`
	Category  string  `json:"category"`
	Source    string  `json:"source"`
	Question  string  `json:"question"`
	ResponseA string  `json:"response_a"`
	ResponseB string  `json:"response_b"`
	ModelA    string  `json:"model_a"`
	ModelB    string  `json:"model_b"`
	Gold      *string `json:"gold"` // "A", "B" or "C" for a tie; null without a label
}

// goldsOf returns for each pair the choice of more than half of its votes, as in [datasets.MTBenchFormat]. split counts
// the pairs without such a majority.
func goldsOf(votes []judging.Vote) (golds map[string]int, split int) {
	counts := map[string][3]int{}
	for _, v := range votes {
		n := counts[v.ItemID()]
		n[v.Winner]++
		counts[v.ItemID()] = n
	}
	golds = map[string]int{}
	for id, n := range counts {
		winner := datasets.Majority(n)
		if winner == datasets.NoGold {
			split++
			continue
		}
		golds[id] = winner
	}
	return golds, split
}

// games holds both games of a pair, its two orders.
type games imports.VoteRow

// compare reads the judge's replies in both games and describes where a reply's verdict is not the winner in the file;
// "" if there is no difference. Game 1 shows model_1 as A, game 2 model_2.
func (g games) compare(p judging.Asker, r *judging.Record) (hasReading bool, differ string) {
	var wrong []string
	for i, game := range []struct {
		winner, reply string
		places        []string
	}{
		{*g.G1Winner, g.G1Verdict, strings.Fields("model_1 model_2 tie")},
		{*g.G2Winner, g.G2Verdict, strings.Fields("model_2 model_1 tie")},
	} {
		result := "error"
		v := p.Parse(r.Shown(), game.reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if v.Outcome == judging.Decided {
			result = game.places[v.Choice]
		} else if v.Outcome == judging.Conflict {
			result = "two verdicts that differ"
		}
		if result != game.winner {
			wrong = append(wrong, fmt.Sprintf("game %d: the file has %s, the reply says %s", i+1, game.winner, result))
		}
	}
	if wrong == nil {
		return true, ""
	}
	return true, fmt.Sprintf(", %s: %s (the file's verdict is kept)", r.Item, strings.Join(wrong, "; "))
}
