package judging

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gavel/datasets"
)

// Sent are the conversations of a run to which servers replied. The zero value is none.
type Sent struct {
	of map[sentKey][][]sentTurn // of each judgment, each time that it was asked for
}

type sentKey struct {
	item         string
	presentation int
}

type sentTurn struct {
	bytes int  // of the reply
	sent  bool // a server replied, and not gavel's own cache
	again int  // how often it was sent once more
}

// Add takes those of a record: what gavel's own cache answered, and what was not asked, was sent to nobody.
func (s *Sent) Add(r *Record) {
	var turns []sentTurn
	sent := false
	for _, reply := range r.Replies {
		t := sentTurn{bytes: len(reply.Text), sent: !reply.Cached && !reply.Unasked()}
		turns, sent = append(turns, t), sent || t.sent
	}
	for _, reply := range r.Asides { // the last turn's conversation again
		last := &turns[len(turns)-1]
		if !reply.Cached {
			last.again, sent = last.again+1, true
		}
	}
	if !sent {
		return
	}
	if s.of == nil {
		s.of = map[sentKey][][]sentTurn{}
	}
	key := sentKey{r.Item, r.Presentation}
	s.of[key] = append(s.of[key], turns)
}

// mostSent is how many bytes of first turns Tree holds in memory at once.
const mostSent = 1 << 29

// Tree is the share of the conversations that a server must read whose prompt cache forgets nothing: of the bytes of
// all conversations as they were sent (each turn sends all before it again), those that stand in a tree in which
// everything that begins alike stands once. A reply counts as remembered, since it was made there. Bytes stand in for
// tokens, which only the server's tokenizer knows. dir is the run's folder.
func (s *Sent) Tree(m *Manifest, dir string) (share float64, err error) {
	asker, err := AskerOf(m)
	if err != nil {
		return 0, err
	}
	set, err := datasets.OpenFile(filepath.Join(dir, ItemsFile))
	if err != nil {
		return 0, err
	}
	defer set.Close()
	var firsts []string
	all := 0
	held := 0
	new := 0
	for row := range set.Len() {
		item, err := set.Item(row)
		if err != nil {
			return 0, err
		}
		for _, shown := range asker.Presentations(item) {
			times := s.of[sentKey{item.ID, shown.Index}]
			if times == nil {
				continue
			}
			prompt := asker.Prompt(item, shown)
			first := ""
			for _, m := range FirstTurn(prompt, m.Spec.Parameters.SystemRole) {
				first += m.Content + "\n"
			}
			firsts, held = append(firsts, first), held+len(first)
			if held > mostSent {
				return 0, fmt.Errorf("more than %d bytes of prompts", mostSent)
			}
			next := len(cmp.Or(prompt.Challenge, m.Spec.Parameters.NextTurn(prompt)))
			for k, turns := range times {
				conversation := len(first)
				for i, t := range turns {
					all += conversation * t.again
					if t.sent {
						all += conversation
					}
					conversation += t.bytes + next
					if k == 0 && i > 0 {
						new += next
					}
				}
			}
		}
	}
	slices.Sort(firsts)
	before := ""
	for _, first := range firsts {
		new += len(first) - shared(before, first)
		before = first
	}
	return float64(new) / math.Max(1, float64(all)), nil
}

// shared is how many bytes two texts begin with alike.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
