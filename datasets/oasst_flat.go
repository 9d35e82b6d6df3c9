package datasets

// table makes trees again of messages that stand one by one, as in the Parquet
// files of OASST and the exports of messages.
//
// A reply may stand before its prompt, so both are kept until the file ends. Of
// the rest nothing is: it answers a reply. Where rows say which tree they belong
// to, and the official ones do, only prompts and first replies are held.
type table struct {
	forest
	prompts []message
	replies map[string][]message // by the id of the prompt
	rooted  map[string]bool      // trees by id, and whether their prompt was seen
}

func assembleMessages(rows Rows, emit func(line int, text []byte) error) ([]string, error) {
	t := table{forest: newForest(rows.Options.Lang), replies: map[string][]message{}, rooted: map[string]bool{}}
	for row := range rows.All {
		m, err := parseMessage(row.Text)
		if err == nil {
			m.line = row.Line
			t.add(m)
		} else if err := emit(row.Line, row.Text); err != nil {
			return nil, err
		}
	}
	t.cut()
	for _, root := range t.prompts {
		if err := t.emit(root, t.replies[root.ID], emit); err != nil {
			return nil, err
		}
	}
	return t.notes(), nil
}

func parseMessage(line []byte) (message, error) {
	var m message
	if err := decode(line, &m); err != nil {
		return message{}, err
	}
	return m, m.check()
}

func (t *table) add(m message) {
	switch {
	case m.Parent == nil && m.Role == prompterRole:
		t.prompts = append(t.prompts, m)
	case m.Parent != nil && (m.Tree == "" || m.Tree == *m.Parent):
		t.replies[*m.Parent] = append(t.replies[*m.Parent], m)
	}
	if m.Tree != "" {
		t.rooted[m.Tree] = t.rooted[m.Tree] || m.Parent == nil
	}
}

// cut counts the trees whose prompt is not in the file.
func (t *table) cut() {
	for _, rooted := range t.rooted {
		if !rooted {
			t.trees++
			t.noTree[noPrompt]++
		}
	}
}
