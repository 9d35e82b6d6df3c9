package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// OpenAssistant's conversations (OASST1 and OASST2, arXiv 2304.07327) are trees of messages. An item is the root of a
// tree, which is a prompt, with the assistant's first replies to it. Later messages are not used.
//
// Which messages are used, and why:
//
//   - Trees in the state ready_for_export, or without a state: exports of all trees
//     include spam; this rule gives the same items as exports of ready trees.
//   - Prompts of one language, English by default, and replies in the same language.
//     A message without a language passes.
//   - No deleted messages, and none that failed review (review_result false).
//     Unreviewed ones (null) stay.
//   - Ranked replies. If only some are ranked, the others are left out, since their
//     place is unknown. If none is, all stay, and the item has no best option:
//     position bias and stability can still be measured.
//   - Each tree once, and only with two or more replies: one has no entropy.
//
// Options are sorted by their message ids, which are random. In the published files, both trees and tables, siblings
// come best first: in that order every item's best option would be option 1, followed by the second-best in all
// rotations.

// OASSTTreesFormat reads an export of nested trees, one per line.
var OASSTTreesFormat = newFormat("oasst-trees", Format{
	Parse:    parseOptions,
	Assemble: assembleTrees,
})

// oasstMessagesFormat reads a table or an export of messages, one per row.
var oasstMessagesFormat = newFormat("oasst-messages", Format{
	Parse:    parseOptions,
	Assemble: assembleMessages,
})

// assembleTrees writes a line for each tree that makes an item.
func assembleTrees(rows FileRows) ([]string, error) {
	f := newTreeConverter(rows.Options)
	for row, t := range decodeRows[treeLine](rows) {
		root := t.root()
		root.line = row.Line
		if err := f.emit(root, t.Prompt.Replies, rows); err != nil {
			return nil, err
		}
	}
	return f.notes(), nil
}

// anyLanguage selects trees of all languages.
const anyLanguage = "all"

// reviewCompleteState is the state of a tree after review and ranking.
const reviewCompleteState = "ready_for_export"

// message holds the keys of a message that gavel uses, in a tree or in a table.
type message struct {
	ID      string   `json:"message_id"`
	Parent  *string  `json:"parent_id"`
	Tree    string   `json:"message_tree_id"`
	State   string   `json:"tree_state"`
	Text    *string  `json:"text"`
	Role    string   `json:"role"`
	Lang    string   `json:"lang"`
	Rank    jsonRank `json:"rank"`
	Review  *bool    `json:"review_result"`
	Deleted bool     `json:"deleted"`
	Model   string   `json:"model_name"`

	Labels json.RawMessage `json:"labels"`

	line int // number of the line in the file, from 1
}

// The roles of messages.
const (
	prompterRole  = "prompter"
	assistantRole = "assistant"
)

// check rejects an incomplete message.
func (m *message) check() error {
	switch {
	case m.ID == "":
		return errors.New(`a message has no "message_id"`)
	case m.Text == nil:
		return fmt.Errorf("message %s has no %q", clip(m.ID), "text")
	case m.Role != prompterRole && m.Role != assistantRole:
		return fmt.Errorf("message %s has the role %q, neither prompter nor assistant",
			clip(m.ID), clip(m.Role))
	}
	return nil
}

// rejected reports whether the message failed review.
func (m *message) rejected() bool { return m.Review != nil && !*m.Review }

// treeConverter converts trees of messages to items, one at a time, and counts the trees and replies left out.
type treeConverter struct {
	lang        string          // language of the trees to use, or anyLanguage
	scoreLabel  string          // people's label that scores the replies, each an item of its own; "": items are trees
	seenTreeIDs map[string]bool // ids of the trees so far

	treeCount       int            // trees read
	items           int            // items made
	unranked        int            // items without ranks
	rejectedTrees   map[string]int // number of trees left out, by reason
	rejectedReplies map[string]int // number of replies left out of the other trees, by reason
}

func newTreeConverter(o OpenOptions) treeConverter {
	return treeConverter{
		lang:            cmp.Or(o.Lang, "en"),
		scoreLabel:      o.soleScoreColumn(),
		seenTreeIDs:     map[string]bool{},
		rejectedTrees:   map[string]int{},
		rejectedReplies: map[string]int{},
	}
}

// emit writes the line of a tree's item, unless the tree is left out.
func (f *treeConverter) emit(root message, replies []message, rows FileRows) error {
	f.treeCount++
	if reason := f.treeRejectionReason(root); reason != "" {
		f.rejectedTrees[reason]++
		return nil
	}
	if f.scoreLabel != "" {
		f.emitScores(root, replies, rows)
		return nil
	}
	options := f.optionReplies(root, replies)
	if n := len(options); n < 2 {
		f.rejectedTrees[[]string{"without a reply to show", "with one reply to show (no entropy)"}[n]]++
		return nil
	}
	candidates := make([]Candidate, len(options))
	for i, m := range options {
		candidates[i] = Candidate{Model: m.Model, Text: *m.Text, Rank: m.Rank.rank}
	}
	if err := assignOptionIDs(candidates); err != nil { // they have no ids yet
		panic(err)
	}
	item := optionsItem(root.ID, *root.Text, candidates)
	item.Source = root.Lang
	f.items++
	if options[0].Rank.rank == nil {
		f.unranked++
	}
	text, err := EncodeOptions(item)
	rows.EmitLine(root.line, text)
	return err
}

// emitScores writes a line for each of a tree's replies that people scored by the label.
func (f *treeConverter) emitScores(root message, replies []message, rows FileRows) {
	for _, m := range replies {
		score := m.score(f.scoreLabel)
		switch reason := replyRejectionReason(root, m); {
		case reason != "":
			f.rejectedReplies[reason]++
		case score == nil:
			f.rejectedReplies["without the label "+f.scoreLabel]++
		default:
			f.items++
			rows.EmitLine(cmp.Or(m.line, root.line), responseLine{
				ID:           (*textOrNumber)(&m.ID),
				Source:       root.Lang,
				Question:     root.Text,
				Response:     m.Text,
				PeopleScores: PeopleScores{Scores: map[string]float64{f.scoreLabel: *score}, Scale: &[2]float64{0, 1}},
			})
		}
	}
}

// treeRejectionReason returns the first reason to leave out a tree with this root; "": none.
func (f *treeConverter) treeRejectionReason(root message) string {
	twice := f.seenTreeIDs[root.ID]
	f.seenTreeIDs[root.ID] = true
	switch {
	case twice:
		return "in the file twice"
	case root.State != "" && root.State != reviewCompleteState:
		return "not " + reviewCompleteState
	case f.lang != anyLanguage && root.Lang != "" && root.Lang != f.lang:
		return "of another language"
	case root.Deleted:
		return "with a deleted prompt"
	case root.rejected():
		return "with a prompt that failed review"
	}
	return ""
}

// optionReplies returns the replies that become options, sorted by id.
func (f *treeConverter) optionReplies(root message, replies []message) []message {
	var options []message
	ranked := false
	for _, m := range replies {
		if reason := replyRejectionReason(root, m); reason != "" {
			f.rejectedReplies[reason]++
			continue
		}
		options = append(options, m)
		ranked = ranked || m.Rank.rank != nil
	}
	slices.SortStableFunc(options, func(a, b message) int { return strings.Compare(a.ID, b.ID) })
	n := len(options)
	options = slices.CompactFunc(options, func(a, b message) bool { return a.ID == b.ID })
	f.rejectedReplies["in the file twice"] += n - len(options)
	n = len(options)
	options = slices.DeleteFunc(options, func(m message) bool { return ranked && m.Rank.rank == nil })
	f.rejectedReplies["unranked next to ranked ones"] += n - len(options)
	return options
}

// replyRejectionReason returns the first reason to leave out a reply; "": none.
func replyRejectionReason(root, m message) string {
	switch {
	case m.Role != assistantRole:
		return "not the assistant's"
	case m.Deleted:
		return "deleted"
	case m.rejected():
		return "failed review"
	case m.Lang != "" && root.Lang != "" && m.Lang != root.Lang:
		return "of another language than the prompt"
	}
	return ""
}

// notes summarises in sentences which trees became items.
func (f *treeConverter) notes() []string {
	language := "language " + f.lang
	if f.lang == anyLanguage {
		language = "all languages"
	}
	unranked := ""
	if f.unranked > 0 {
		unranked = fmt.Sprintf("; %s without ranks, so without a best option", countWithNoun(f.unranked, "item"))
	}
	notes := []string{fmt.Sprintf("%s of %s (%s): the prompt and the assistant's first replies%s.",
		countWithNoun(f.items, "item"), countWithNoun(f.treeCount, "tree"), language, unranked)}
	notes = append(notes, reasonsSentence("Trees left out: ", f.rejectedTrees)...)
	return append(notes, reasonsSentence("Replies left out of the trees used: ", f.rejectedReplies)...)
}

// reasonsSentence returns a sentence that begins with prefix and lists the counts by reason; none if all are 0.
func reasonsSentence(prefix string, counts map[string]int) []string {
	var out []string
	for _, reason := range sortedKeys(counts) {
		if n := counts[reason]; n > 0 {
			out = append(out, humanize.Comma(int64(n))+" "+reason)
		}
	}
	if out == nil {
		return nil
	}
	return []string{prefix + strings.Join(out, ", ") + "."}
}

// countWithNoun returns a number with its noun, in the plural if needed.
func countWithNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}
