package datasets

import (
	"cmp"
	"errors"
)

// treeLine is a line of an export of trees. The messages in it are nested; the id and the state of the tree stand
// outside. Replies to replies are passed over, however deep they go.
type treeLine struct {
	Tree   string `json:"message_tree_id"`
	State  string `json:"tree_state"`
	Prompt *struct {
		message
		Replies []message `json:"replies"`
	} `json:"prompt"`
}

func parseTree(line []byte) (root message, replies []message, err error) {
	var t treeLine
	if err := decode(line, &t); err != nil {
		return message{}, nil, err
	}
	if t.Prompt == nil {
		return message{}, nil, errors.New(`key "prompt" is missing`)
	}
	root = t.Prompt.message
	root.ID = cmp.Or(t.Tree, root.ID) // the same, in all exports
	root.State = cmp.Or(t.State, root.State)
	err = root.check()
	if err == nil && root.Role != prompterRole {
		err = errors.New("the tree does not begin with a prompt")
	}
	for _, m := range t.Prompt.Replies {
		err = cmp.Or(err, m.check())
	}
	return root, t.Prompt.Replies, err
}

// assembleMessages makes items of messages that stand one by one, as in the Parquet files of OASST and the exports of
// messages.
//
// A reply may stand before its prompt, so both are kept until the file ends. Of the rest nothing is: it answers a
// reply. Where rows say which tree they belong to, and the official ones do, only prompts and first replies are held.
func assembleMessages(rows Rows) ([]string, error) {
	f := newForest(rows.Options.Lang)
	var prompts []message
	replies := map[string][]message{} // by the id of the prompt
	rooted := map[string]bool{}       // trees by id, and whether their prompt was seen
	for row := range rows.All {
		m, err := parseMessage(row.Text)
		if err != nil {
			rows.Reject(row.Line, err)
			continue
		}
		m.line = row.Line
		switch {
		case m.Parent == nil && m.Role == prompterRole:
			prompts = append(prompts, m)
		case m.Parent != nil && (m.Tree == "" || m.Tree == *m.Parent):
			replies[*m.Parent] = append(replies[*m.Parent], m)
		}
		if m.Tree != "" {
			rooted[m.Tree] = rooted[m.Tree] || m.Parent == nil
		}
	}
	for _, has := range rooted {
		if !has {
			f.trees++
			f.noTree["without their prompt in this file (a filter by language cuts trees)"]++
		}
	}
	for _, root := range prompts {
		if err := f.emit(root, replies[root.ID], rows); err != nil {
			return nil, err
		}
	}
	return f.notes(), nil
}

func parseMessage(line []byte) (message, error) {
	var m message
	err := decode(line, &m)
	if err == nil {
		err = m.check()
	}
	return m, err
}
