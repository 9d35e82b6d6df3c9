package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// OpenAssistant's conversations (OASST1 and OASST2, arXiv 2304.07327) are trees of messages. An item is the root of a
// tree, which is a prompt, with the assistant's first replies to it; what follows on those is not used.
//
// What is shown, and why:
//
//   - Trees in the state ready_for_export, or of none: the exports of all trees
//     hold the spam too, and give the same items as those of the ready ones.
//   - Prompts of one language, and replies of the prompt's: English, unless asked
//     otherwise. Who states no language has any.
//   - No deleted messages, nor those that failed review (review_result false).
//     Those that nobody reviewed (null) stay.
//   - Ranked replies. Where only some are ranked the others are left out: they
//     may be better or worse than all. Where none is, all stay, and the item has
//     no best option: position and stability can be measured all the same.
//   - Each tree once, and only with two replies or more: one has no entropy.
//
// Options stand in the order of their message ids, which are random. In the published files, both trees and tables,
// siblings stand best first: in that order every item's best option would be option 1, with the second-best after it in
// all rotations.

// OASSTTrees is an export of nested trees, one a line.
var OASSTTrees = Format{
	Name:     "oasst-trees",
	About:    "OpenAssistant's message trees: JSON lines with message_tree_id and prompt",
	Shape:    Options,
	Keys:     []string{"message_tree_id", "prompt"},
	Parse:    parseOptions,
	Assemble: assembleTrees,

	Languages: true,
}

// A table or an export of messages, one a row.
var oasstMessages = Format{
	Name:     "oasst-messages",
	About:    "OpenAssistant's messages: rows with message_id, parent_id, role, text and rank",
	Shape:    Options,
	Keys:     []string{"message_id", "role", "text"},
	Parse:    parseOptions,
	Assemble: assembleMessages,

	Languages: true,
}

// assembleTrees makes a line of each tree that is an item.
func assembleTrees(rows Rows) ([]string, error) {
	f := newForest(rows.Options.Lang)
	for row := range rows.All {
		root, replies, err := parseTree(row.Text)
		if err != nil {
			rows.Reject(row.Line, err)
			continue
		}
		root.line = row.Line
		if err := f.emit(root, replies, rows); err != nil {
			return nil, err
		}
	}
	return f.notes(), nil
}

// anyLanguage asks for the trees of all languages.
const anyLanguage = "all"

// readyState is the state of a tree that was reviewed and ranked to its end.
const readyState = "ready_for_export"

// message holds the keys of a message that are used, in a tree or in a table.
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

	line int // of the file
}

// The roles of messages.
const (
	prompterRole  = "prompter"
	assistantRole = "assistant"
)

// check says what a message lacks.
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

func (m *message) rejected() bool { return m.Review != nil && !*m.Review }

// forest makes items of trees, one at a time, and counts what it leaves out.
type forest struct {
	lang string
	seen map[string]bool // trees

	trees    int
	items    int
	unranked int            // items without ranks
	noTree   map[string]int // by reason
	noReply  map[string]int
}

func newForest(lang string) forest {
	return forest{
		lang:    cmp.Or(lang, "en"),
		seen:    map[string]bool{},
		noTree:  map[string]int{},
		noReply: map[string]int{},
	}
}

// emit writes the line of a tree's item, if it has one.
func (f *forest) emit(root message, replies []message, rows Rows) error {
	f.trees++
	if why := f.refuse(root); why != "" {
		f.noTree[why]++
		return nil
	}
	shown := f.shown(root, replies)
	if n := len(shown); n < 2 {
		f.noTree[[]string{"without a reply to show", "with one reply to show (no entropy)"}[n]]++
		return nil
	}
	candidates := make([]Candidate, len(shown))
	for i, m := range shown {
		candidates[i] = Candidate{Model: m.Model, Text: *m.Text, Rank: m.Rank.rank}
	}
	if err := nameOptions(candidates); err != nil { // they have no ids yet
		panic(err)
	}
	it := optionsItem(root.ID, *root.Text, candidates)
	it.Source = root.Lang
	f.items++
	if shown[0].Rank.rank == nil {
		f.unranked++
	}
	text, err := OptionsLine(it)
	rows.Emit(root.line, text)
	return err
}

// refuse returns why a tree with this root is no item, the first reason that holds; "" if it is one.
func (f *forest) refuse(root message) string {
	twice := f.seen[root.ID]
	f.seen[root.ID] = true
	switch {
	case twice:
		return "in the file twice"
	case root.State != "" && root.State != readyState:
		return "not " + readyState
	case f.lang != anyLanguage && root.Lang != "" && root.Lang != f.lang:
		return "of another language"
	case root.Deleted:
		return "with a deleted prompt"
	case root.rejected():
		return "with a prompt that failed review"
	}
	return ""
}

// shown are the replies that become options, in the order of their ids.
func (f *forest) shown(root message, replies []message) []message {
	var shown []message
	ranked := false
	for _, m := range replies {
		if why := leftOut(root, m); why != "" {
			f.noReply[why]++
			continue
		}
		shown = append(shown, m)
		ranked = ranked || m.Rank.rank != nil
	}
	slices.SortStableFunc(shown, func(a, b message) int { return strings.Compare(a.ID, b.ID) })
	n := len(shown)
	shown = slices.CompactFunc(shown, func(a, b message) bool { return a.ID == b.ID })
	f.noReply["in the file twice"] += n - len(shown)
	n = len(shown)
	shown = slices.DeleteFunc(shown, func(m message) bool { return ranked && m.Rank.rank == nil })
	f.noReply["unranked beside ranked ones"] += n - len(shown)
	return shown
}

// leftOut returns why a reply is no option, the first reason that holds; "" if it is one.
func leftOut(root, m message) string {
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

// notes say in sentences what became of the trees.
func (f *forest) notes() []string {
	language := "language " + f.lang
	if f.lang == anyLanguage {
		language = "all languages"
	}
	unranked := ""
	if f.unranked > 0 {
		unranked = fmt.Sprintf("; %s without ranks, so without a best option", counted(f.unranked, "item"))
	}
	notes := []string{fmt.Sprintf("%s of %s (%s): the prompt and the assistant's first replies%s.",
		counted(f.items, "item"), counted(f.trees, "tree"), language, unranked)}
	notes = append(notes, reasons("Trees left out: ", f.noTree)...)
	return append(notes, reasons("Replies left out of the trees taken: ", f.noReply)...)
}

// reasons say in a sentence how many were left out, and why; none where none was.
func reasons(what string, counts map[string]int) []string {
	var out []string
	for _, why := range sortedKeys(counts) {
		if n := counts[why]; n > 0 {
			out = append(out, humanize.Comma(int64(n))+" "+why)
		}
	}
	if out == nil {
		return nil
	}
	return []string{what + strings.Join(out, ", ") + "."}
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return humanize.Comma(int64(n)) + " " + thing + "s"
}
