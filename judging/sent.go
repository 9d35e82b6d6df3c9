package judging

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gavel/datasets"
)

// Sent counts what a run sent to servers, for [Sent.Tree]. The zero value is a run that sent nothing.
type Sent struct {
	seed maphash.Seed
	once []uint64           // keys of the judgments that took one request of one turn, as most do
	of   map[uint64]traffic // of the others, by key: a hash, since ids would take most of the memory
}

// traffic sums up all conversations of one presentation of an item. A conversation is the first turn, then replies,
// each followed by a next turn. The lengths of turns are known only in Tree, so that turns are counted here.
type traffic struct {
	requests  uint32 // sent to a server, and not answered by gavel's own cache
	replies   uint64 // bytes of the earlier replies that these requests repeated
	nextTurns uint32 // next turns in these requests
	turns     uint32 // of the first conversation
}

// Add counts the requests of a record that reached a server.
func (s *Sent) Add(r *Record) {
	var add traffic
	conversation := uint64(0)
	send := func(turn int) {
		add.requests++
		add.replies += conversation
		add.nextTurns += uint32(turn)
	}
	last := uint64(0)
	for turn, reply := range r.Replies {
		conversation += last
		if !reply.Cached && !reply.Unasked() {
			send(turn)
		}
		last = uint64(len(reply.Text))
	}
	for _, reply := range r.Asides { // the last turn's conversation again
		if !reply.Cached {
			send(len(r.Replies) - 1)
		}
	}
	if add.requests == 0 {
		return
	}
	if s.of == nil {
		s.seed, s.of = maphash.MakeSeed(), map[uint64]traffic{}
	}
	key := s.key(r.Item, r.Presentation)
	if add.requests == 1 && len(r.Replies) == 1 && r.Repetition == 0 {
		s.once = append(s.once, key)
		return
	}
	sum, known := s.of[key]
	if !known {
		sum.turns = uint32(len(r.Replies))
	}
	sum.requests += add.requests
	sum.replies += add.replies
	sum.nextTurns += add.nextTurns
	s.of[key] = sum
}

// sum returns all traffic of a key. once is sorted.
func (s *Sent) sum(key uint64) (sum traffic, sent bool) {
	sum, sent = s.of[key]
	i, once := slices.BinarySearch(s.once, key)
	for ; i < len(s.once) && s.once[i] == key; i++ {
		sum.requests++
		sum.turns = 1
	}
	return sum, sent || once
}

func (s *Sent) key(item string, presentation int) uint64 {
	return maphash.String(s.seed, item) + uint64(presentation)
}

const (
	// opening is the number of bytes of a user message by which Tree groups prompts.
	opening = 64
	// mostSent is how many bytes of prompts that begin alike Tree holds in memory at once.
	mostSent = 1 << 28
)

// sentPrompt locates a prompt that was sent. Prompts of one system message and one opening are read together.
type sentPrompt struct {
	system, opening string
	row             int
	presentation    int
}

func (p sentPrompt) compare(o sentPrompt) int {
	return cmp.Or(strings.Compare(p.system, o.system), strings.Compare(p.opening, o.opening))
}

// Tree returns the share of all bytes sent that a server must read if its prompt cache forgets nothing: every turn
// sends all before it again, and what begins like an earlier prompt is read once. A reply counts as cached, since the
// server wrote it. Bytes stand in for tokens, which only the server's tokenizer counts. dir is the run's folder.
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
	text := func(prompt Prompt) string {
		first := ""
		for _, m := range FirstTurn(prompt, m.Spec.Parameters.SystemRole) {
			first += m.Content + "\n"
		}
		return first
	}
	slices.Sort(s.once)
	var prompts []sentPrompt
	all := 0
	new := 0
	for row := range set.Len() {
		item, err := set.Item(row)
		if err != nil {
			return 0, err
		}
		for _, shown := range asker.Presentations(item) {
			sent, ok := s.sum(s.key(item.ID, shown.Index))
			if !ok {
				continue
			}
			prompt := asker.Prompt(item, shown)
			begin := strings.Clone(prompt.User[:min(len(prompt.User), opening)])
			prompts = append(prompts, sentPrompt{system: prompt.System, opening: begin, row: row, presentation: shown.Index})
			next := len(cmp.Or(prompt.Challenge, m.Spec.Parameters.NextTurn(prompt)))
			all += int(sent.requests)*len(text(prompt)) + int(sent.replies) + int(sent.nextTurns)*next
			new += int(sent.turns-1) * next
		}
	}
	slices.SortStableFunc(prompts, sentPrompt.compare)
	before := ""
	for len(prompts) > 0 {
		end := slices.IndexFunc(prompts, func(p sentPrompt) bool { return p.compare(prompts[0]) != 0 })
		if end < 0 {
			end = len(prompts)
		}
		held := 0
		firsts := make([]string, end)
		for i, p := range prompts[:end] {
			item, err := set.Item(p.row)
			if err != nil {
				return 0, err
			}
			firsts[i] = text(asker.Prompt(item, asker.Presentations(item)[p.presentation]))
			held += len(firsts[i])
			if held > mostSent {
				return 0, fmt.Errorf("more than %d bytes of prompts", mostSent)
			}
		}
		slices.Sort(firsts)
		for _, first := range firsts {
			new += len(first) - shared(before, first)
			before = first
		}
		prompts = prompts[end:]
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
