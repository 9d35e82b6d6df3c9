package judging

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"gavel/datasets"
)

// Sent counts what a run sent to servers, for [Sent.Tree]. The zero value counts nothing yet.
type Sent struct {
	seed maphash.Seed       // of the hashes that are the keys
	once []uint64           // keys of the judgments that took one request of one turn, as most do
	more map[uint64]traffic // all other judgments, by key; a key is a hash, since ids would take most of the memory
}

// traffic sums up all conversations about one presentation of an item. A conversation is the first turn, then replies,
// each followed by a next turn. The lengths of turns are known only in Tree, so turns are counted here.
type traffic struct {
	requests  uint32 // number of requests sent to a server, not answered by gavel's cache
	replies   uint64 // bytes of earlier replies in these requests
	nextTurns uint32 // number of next turns in these requests
	turns     uint32 // number of turns in the first of the conversations
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
		if !reply.Cached && !reply.NotSent() {
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
	if s.more == nil {
		s.seed = maphash.MakeSeed()
		s.more = map[uint64]traffic{}
	}
	key := s.key(r.Item, r.Presentation)
	if add.requests == 1 && len(r.Replies) == 1 && r.Repetition == 0 {
		s.once = append(s.once, key)
		return
	}
	sum, ok := s.more[key]
	if !ok {
		sum.turns = uint32(len(r.Replies))
	}
	sum.requests += add.requests
	sum.replies += add.replies
	sum.nextTurns += add.nextTurns
	s.more[key] = sum
}

// sum returns all traffic about the presentation with a key, and whether there was any. s.once must be sorted.
func (s *Sent) sum(key uint64) (sum traffic, sent bool) {
	sum, sent = s.more[key]
	i, once := slices.BinarySearch(s.once, key)
	for ; i < len(s.once) && s.once[i] == key; i++ {
		sum.requests++
		sum.turns = 1
	}
	return sum, sent || once
}

// key returns the hash that stands for a presentation of an item.
func (s *Sent) key(item string, presentation int) uint64 {
	return maphash.String(s.seed, item) + uint64(presentation)
}

// maxPromptBytes limits the bytes of prompts that Tree holds in memory.
const maxPromptBytes = 1 << 26

// Tree returns the share of all bytes sent that a server must read if its prompt cache forgets nothing: every turn
// sends all turns before it again, and a common beginning of prompts is read once. A reply counts as cached, since the
// server wrote it. Bytes stand in for tokens, which only the server's tokenizer can count. dir is the run's folder.
func (s *Sent) Tree(m *Manifest, dir string) (share float64, err error) {
	asker, err := AskerOf(m)
	if err != nil {
		return 0, err
	}
	params := m.Spec.Parameters
	slices.Sort(s.once)
	var prompts []string
	var memory, sent, read int
	err = EachItem(dir, func(item datasets.Item) {
		for _, shown := range asker.Presentations(item) {
			total, ok := s.sum(s.key(item.ID, shown.Index))
			if !ok {
				continue
			}
			prompt := asker.Prompt(item, shown)
			text := ""
			for _, message := range FirstTurn(prompt, params.SystemRole) {
				text += message.Content + "\n"
			}
			next := len(cmp.Or(prompt.Challenge, params.NextTurn(prompt)))
			sent += int(total.requests)*len(text) + int(total.replies) + int(total.nextTurns)*next
			read += int(total.turns-1) * next
			memory += len(text)
			if memory <= maxPromptBytes {
				prompts = append(prompts, text)
			}
		}
	})
	if err == nil && memory > maxPromptBytes {
		err = fmt.Errorf("more than %d bytes of prompts", maxPromptBytes)
	}
	if err != nil {
		return 0, err
	}
	slices.Sort(prompts)
	before := ""
	for _, text := range prompts {
		read += len(text) - shared(before, text)
		before = text
	}
	return float64(read) / max(1, float64(sent)), nil
}

// shared returns the length in bytes of the common beginning of two texts.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
