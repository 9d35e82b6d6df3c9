package datasets

import (
	"cmp"
	"errors"
)

// treeLine is a line of an export of trees. Messages are nested; the id and state of the tree are outside. Replies to
// replies are ignored, however deeply nested.
type treeLine struct {
	Tree   string `json:"message_tree_id"`
	State  string `json:"tree_state"`
	Prompt *struct {
		message
		Replies []message `json:"replies"`
	} `json:"prompt"`
}

// root returns the prompt of the tree.
func (t *treeLine) root() message {
	root := t.Prompt.message
	root.ID = cmp.Or(t.Tree, root.ID) // equal in all exports
	root.State = cmp.Or(t.State, root.State)
	return root
}

// check rejects a tree without a prompt, or with an incomplete message.
func (t *treeLine) check() error {
	if t.Prompt == nil {
		return errors.New(`key "prompt" is missing`)
	}
	root := t.root()
	err := root.check()
	if err == nil && root.Role != prompterRole {
		err = errors.New("the tree does not begin with a prompt")
	}
	for _, m := range t.Prompt.Replies {
		err = cmp.Or(err, m.check())
	}
	return err
}

// assembleMessages builds items from single messages, as in OASST's Parquet files and its exports of messages.
//
// A reply may precede its prompt, so both are held in memory until the file ends. Rows of the official files name their
// tree: then only prompts and first replies are held. Later messages, which answer a reply, are not needed.
func assembleMessages(rows FileRows) ([]string, error) {
	f := newTreeConverter(rows.Options)
	var prompts []message
	replies := map[string][]message{} // by the id of the prompt
	hasPrompt := map[string]bool{}    // by tree id: whether its prompt was in the file
	for row, m := range decodeRows[message](rows) {
		m.line = row.Line
		switch {
		case m.Parent == nil && m.Role == prompterRole:
			prompts = append(prompts, *m)
		case m.Parent != nil && (m.Tree == "" || m.Tree == *m.Parent):
			replies[*m.Parent] = append(replies[*m.Parent], *m)
		}
		if m.Tree != "" {
			hasPrompt[m.Tree] = hasPrompt[m.Tree] || m.Parent == nil
		}
	}
	for _, ok := range hasPrompt {
		if !ok {
			f.treeCount++
			f.rejectedTrees["without their prompt in this file (a filter by language cuts trees)"]++
		}
	}
	for _, root := range prompts {
		if err := f.emit(root, replies[root.ID], rows); err != nil {
			return nil, err
		}
	}
	return f.notes(), nil
}
