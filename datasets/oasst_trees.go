package datasets

import "errors"

// treeLine is a line of an export of trees. The messages in it are nested; the
// id and the state of the tree stand outside.
type treeLine struct {
	Tree   string      `json:"message_tree_id"`
	State  string      `json:"tree_state"`
	Prompt *rootOfTree `json:"prompt"`
}

// rootOfTree is the prompt with its replies. Their own replies are passed over,
// however deep they go.
type rootOfTree struct {
	message
	Replies []message `json:"replies"`
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
	if t.Tree != "" {
		root.ID = t.Tree // the same, in all exports
	}
	if t.State != "" {
		root.State = t.State
	}
	if err := root.check(); err != nil {
		return message{}, nil, err
	}
	if root.Role != prompterRole {
		return message{}, nil, errors.New("the tree does not begin with a prompt")
	}
	for _, m := range t.Prompt.Replies {
		if err := m.check(); err != nil {
			return message{}, nil, err
		}
	}
	return root, t.Prompt.Replies, nil
}
