package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// Part is a shard of a request's items.
type Part struct {
	Index, Of int
	Try       int    // of the task, where an engine counts them and this is not the first
	Said      string // by the engine, as NAME=VALUE; "" where the request names the shard
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Of) }

// Suffix ends the name of the shard's folder.
func (p Part) Suffix() string { return judging.ShardSuffix(p.Index, p.Of, p.Try) }

// ParseShard reads "K/N", "auto" or "auto/N", where the index is 0, and N too where it is not given.
func ParseShard(value string) (index, of int, err error) {
	first, second, given := strings.Cut(value, "/")
	if first == "auto" && !given {
		return 0, 0, nil
	}
	least := 1
	if first == "auto" {
		first, least = "0", 0
	}
	index, err = strconv.Atoi(first)
	if err == nil {
		of, err = strconv.Atoi(second)
	}
	if err != nil || index < least || of < 1 || index > of {
		err = fmt.Errorf("%q: expected K/N such as 3/16 with K from 1 to N, auto, or auto/N", value)
	}
	return index, of, err
}

// Part returns the shard that the value of --shard means: auto is what the engine says that runs this process.
func (e *Maker) Part(value string) (Part, error) {
	index, of, err := ParseShard(value)
	if err != nil {
		return Part{}, Wrong("shard", value, "%v", err)
	}
	if index > 0 {
		return Part{Index: index, Of: of}, nil
	}
	p, err := partOf(e.Getenv, of)
	if err != nil {
		return p, Wrong("shard", value, "%s: %v", value, err)
	}
	return p, nil
}

// engine is a program that starts one command many times, by the variables in which it tells which time it is.
type engine struct {
	index, lowest, count string // "" for what it does not tell
	first                int    // what it calls the first, where lowest is ""
	tries                string // how often it started this one before
}

var engines = []engine{
	{
		index:  "SLURM_ARRAY_TASK_ID",
		lowest: "SLURM_ARRAY_TASK_MIN",
		count:  "SLURM_ARRAY_TASK_COUNT",
		tries:  "SLURM_RESTART_COUNT",
	},
	{index: "JOB_COMPLETION_INDEX"}, // Kubernetes
	{index: "SKYPILOT_JOB_RANK", count: "SKYPILOT_NUM_JOBS"},
	{index: "DSTACK_NODE_RANK", count: "DSTACK_NODES_NUM"},
	{index: "PARALLEL_SEQ", first: 1}, // GNU parallel
}

// partOf returns the shard that the environment says; given is how many there are, 0 where that is for the engine to
// say.
func partOf(getenv func(string) string, given int) (p Part, err error) {
	var found *engine
	var names []string
	for _, en := range engines {
		names = append(names, en.index)
		switch {
		case getenv(en.index) == "":
		case found != nil:
			return p, fmt.Errorf("%s and %s are both set: give K/N", found.index, en.index)
		default:
			found = &en
		}
	}
	if found == nil {
		return p, fmt.Errorf("found no environment variable with the shard's number (looked for %s): give K/N",
			strings.Join(names, ", "))
	}
	return found.part(getenv, given)
}

// part returns the shard that the variables of an engine say.
func (en *engine) part(getenv func(string) string, given int) (p Part, err error) {
	var said []string
	number := func(name string, usual, least int) int {
		text := getenv(name)
		if text == "" {
			return usual
		}
		n, nerr := strconv.Atoi(text)
		said = append(said, name+"="+text)
		if (nerr != nil || n < least) && err == nil {
			err = fmt.Errorf("%s=%s is not a number from %d", name, text, least)
		}
		return n
	}
	id := number(en.index, 0, 0)
	first := number(en.lowest, en.first, 0)
	p.Of = number(en.count, given, 1)
	p.Try = number(en.tries, 0, 0) + 1
	p.Said = strings.Join(said, ", ")
	switch {
	case err != nil:
		return p, err
	case p.Of == 0:
		return p, fmt.Errorf("%s does not say how many shards there are: give auto/N", p.Said)
	case given > 0 && given != p.Of:
		return p, fmt.Errorf("%s says that there are %d shards, not %d; one shard alone is made with K/%[3]d",
			p.Said, p.Of, given)
	case en.lowest != "" && given == 0 && (p.Of == 1 || first > 1):
		return p, fmt.Errorf("%s may be the whole array or a part of a longer one: "+
			"give auto/%d if it is the whole array, otherwise K/N", p.Said, p.Of)
	case id < first || id-first >= p.Of:
		return p, fmt.Errorf("%s is not one of the %d tasks that begin at %d: "+
			"give the array as a range, or give K/N", p.Said, p.Of, first)
	}
	p.Index = id - first + 1
	return p, nil
}

// settle finds which shard the request means, says so, and gives its folder a name of its own where the engine knew.
func (e *Maker) settle(o *Request) error {
	p, err := e.Part(o.Shard)
	if err != nil {
		return err
	}
	if p.Said != "" {
		e.say("shard %s, by %s", p, p.Said)
		if o.Out != "" {
			o.Out += p.Suffix()
		}
	}
	o.Shard, o.try = p.String(), p.Try
	return nil
}

// sharded keeps of items those of the request's shard, and notes what they are of.
func (o Request) sharded(its items) (items, error) {
	if o.Shard == "" {
		return its, nil
	}
	index, of, err := ParseShard(o.Shard)
	if err != nil {
		return its, err
	}
	id := func(i int) string { return its.set.ID(its.rows[i]) }
	its.shard = &judging.Shard{
		Index:   index,
		Of:      of,
		Items:   len(its.rows),
		IDs:     judging.HashIDs(len(its.rows), id),
		Dataset: its.set.SHA256,
		Path:    o.Dataset,
	}
	its.places = its.shard.Deal(len(its.rows), id)
	rows := make([]int, len(its.places))
	for i, place := range its.places {
		rows[i] = its.rows[place]
	}
	its.rows = rows
	return its, nil
}

// ofShard returns which part of a run the items are, by a spec that is the run's but for them; nil where they are all.
func (its items) ofShard(spec judging.Spec) *judging.Shard {
	if its.shard == nil {
		return nil
	}
	s := *its.shard
	s.Whole = judging.NewManifest("", s.WholeSpec(spec)).ID
	s.At(its.places)
	return &s
}

// madeOf returns items that a stage made of those of a shard: each has the place of its question.
func (its items) madeOf(questions items) (items, error) {
	if questions.shard == nil {
		return its, nil
	}
	place := make(map[string]int, len(questions.rows))
	for i, row := range questions.rows {
		place[questions.set.ID(row)] = questions.places[i]
	}
	its.shard = questions.shard
	for _, row := range its.rows {
		item, err := its.set.Item(row)
		if err != nil {
			return its, err
		}
		its.places = append(its.places, place[judging.QuestionOf(item)])
	}
	return its, nil
}

// replies returns the folder of the cache: of a shard one of its own, since a cache is one process's.
func (p *runState) replies() string {
	switch {
	case p.req.Shard == "":
		return p.req.Cache
	case p.req.Cache == "":
		return filepath.Join(p.out, judging.CacheDir)
	}
	return filepath.Join(p.req.Cache, filepath.Base(p.out))
}

// filesOfRun are the files of a run, or of a suite, that a later try of its shard goes on with.
var filesOfRun = append(slices.Clone(judging.RunFiles), scoring.SuiteFile)

// TakeUp copies into the folder of a later try of a shard what the try before it has left, unless it is there already.
// What that one still writes is asked for by both, and merged.
func TakeUp(out string, try int) error {
	if _, err := os.Stat(out); err == nil {
		return nil
	}
	first := strings.TrimSuffix(filepath.Clean(out), judging.TrySuffix(try))
	for before := try - 1; before > 0; before-- {
		from := first + judging.TrySuffix(before)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		err := disk.MakeDir(out, func(part string) error { return disk.CopyFiles(from, part, filesOfRun...) })
		if err != nil {
			return fmt.Errorf("going on with %s: %w", from, err)
		}
		return nil
	}
	return nil
}

// first returns an item that tells what kind the items are.
func (its items) first() (datasets.Item, error) {
	row := 0 // of a shard that has none
	if len(its.rows) > 0 {
		row = its.rows[0]
	}
	return its.set.Item(row)
}
