package judging

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"gavel/datasets"
)

// SentTraffic counts what a run sent to servers, for [SentTraffic.Tree]. The zero value counts nothing yet.
type SentTraffic struct {
	hashSeed          maphash.Seed       // of the hashes that are the keys
	singleRequestKeys []uint64           // keys of the judgments that took one request of one turn, as most do
	trafficByKey      map[uint64]traffic // all other judgments, by key: a hash, since ids would take most of the memory
}

// traffic sums up all conversations about one presentation of an item. A conversation is the first turn, then replies,
// each followed by a next turn. The lengths of turns are known only in Tree, so turns are counted here.
type traffic struct {
	requests               uint32 // number of requests sent to a server, not answered by gavel's cache
	earlierReplyBytes      uint64 // bytes of earlier replies in these requests
	nextTurnCount          uint32 // number of next turns in these requests
	firstConversationTurns uint32 // number of turns in the first of the conversations
}

// Add counts the requests of a record that reached a server.
func (s *SentTraffic) Add(r *Record) {
	var add traffic
	conversation := uint64(0)
	send := func(turn int) {
		add.requests++
		add.earlierReplyBytes += conversation
		add.nextTurnCount += uint32(turn)
	}
	last := uint64(0)
	for turn, reply := range r.Replies {
		conversation += last
		if !reply.Cached && !reply.NotSent() {
			send(turn)
		}
		last = uint64(len(reply.Text))
	}
	for _, reply := range r.ExtraReplies { // the last turn's conversation again
		if !reply.Cached {
			send(len(r.Replies) - 1)
		}
	}
	if add.requests == 0 {
		return
	}
	if s.trafficByKey == nil {
		s.hashSeed = maphash.MakeSeed()
		s.trafficByKey = map[uint64]traffic{}
	}
	key := s.presentationHash(r.Item, r.Presentation)
	if add.requests == 1 && len(r.Replies) == 1 && r.Repetition == 0 {
		s.singleRequestKeys = append(s.singleRequestKeys, key)
		return
	}
	sum, ok := s.trafficByKey[key]
	if !ok {
		sum.firstConversationTurns = uint32(len(r.Replies))
	}
	sum.requests += add.requests
	sum.earlierReplyBytes += add.earlierReplyBytes
	sum.nextTurnCount += add.nextTurnCount
	s.trafficByKey[key] = sum
}

// totalTraffic returns all traffic about the presentation with a key, and whether there was any. s.once must be sorted.
func (s *SentTraffic) totalTraffic(key uint64) (sum traffic, sent bool) {
	sum, sent = s.trafficByKey[key]
	i, once := slices.BinarySearch(s.singleRequestKeys, key)
	for ; i < len(s.singleRequestKeys) && s.singleRequestKeys[i] == key; i++ {
		sum.requests++
		sum.firstConversationTurns = 1
	}
	return sum, sent || once
}

// presentationHash returns the hash that stands for a presentation of an item.
func (s *SentTraffic) presentationHash(item string, presentation int) uint64 {
	return maphash.String(s.hashSeed, item) + uint64(presentation)
}

// promptMemoryBytes limits the bytes of prompts that Tree holds in memory.
const promptMemoryBytes = 1 << 26

// IdealUncachedShare returns the share of all bytes sent that a server must read if its prompt cache forgets nothing:
// every turn sends all turns before it again, and a common beginning of prompts is read once. A reply counts as cached,
// since the server wrote it. Bytes stand in for tokens, which only the server can count. dir is the run's folder.
func (s *SentTraffic) IdealUncachedShare(m *Manifest, dir string) (share float64, err error) {
	asker, err := AskerOf(m)
	if err != nil {
		return 0, err
	}
	params := m.Spec.Parameters
	slices.Sort(s.singleRequestKeys)
	var prompts []string
	var memory, sent, read int
	err = EachItem(dir, func(item datasets.Item) {
		for _, shown := range asker.Presentations(item) {
			total, ok := s.totalTraffic(s.presentationHash(item.ID, shown.Index))
			if !ok {
				continue
			}
			prompt := asker.Prompt(item, shown)
			text := ""
			for _, message := range FirstTurnMessages(prompt, params.SystemTextRole) {
				text += message.Content + "\n"
			}
			next := len(cmp.Or(prompt.Challenge, params.NextTurnText(prompt)))
			sent += int(total.requests)*len(text) + int(total.earlierReplyBytes) + int(total.nextTurnCount)*next
			read += int(total.firstConversationTurns-1) * next
			memory += len(text)
			if memory <= promptMemoryBytes {
				prompts = append(prompts, text)
			}
		}
	})
	if err == nil && memory > promptMemoryBytes {
		err = fmt.Errorf("more than %d bytes of prompts", promptMemoryBytes)
	}
	if err != nil {
		return 0, err
	}
	slices.Sort(prompts)
	before := ""
	for _, text := range prompts {
		read += len(text) - commonPrefixLength(before, text)
		before = text
	}
	return float64(read) / max(1, float64(sent)), nil
}

// commonPrefixLength returns the length in bytes of the common beginning of two texts.
func commonPrefixLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
