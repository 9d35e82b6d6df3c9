package eval

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
	"gavel/scoring"
)

// Shard describes a shard of a request's items.
type Shard struct {
	Index, Count    int    // number of the shard, from 1, and of all shards
	Try             int    // number of the try of the engine's task, from 1; 0 if the request names the shard
	EngineVariables string // the engine's environment variables, as NAME=VALUE; "" if the request names the shard
}

func (p Shard) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Count) }

// Suffix returns the end of the shard's folder name.
func (p Shard) Suffix() string { return judging.ShardSuffix(p.Index, p.Count, p.Try) }

// ParseShard parses a value of --shard: "K/N", "auto" or "auto/N". A missing number is 0.
func ParseShard(value string) (index, total int, err error) {
	first, second, byUser := strings.Cut(value, "/")
	if first == "auto" && !byUser {
		return 0, 0, nil
	}
	minimum := 1
	if first == "auto" {
		first, minimum = "0", 0
	}
	index, err = strconv.Atoi(first)
	if err == nil {
		total, err = strconv.Atoi(second)
	}
	if err != nil || index < minimum || total < 1 || index > total {
		err = fmt.Errorf("%q: expected K/N such as 3/16 with K from 1 to N, auto, or auto/N", value)
	}
	return index, total, err
}

// ShardFromValue returns the shard for a value of --shard; auto uses the variables of the engine that runs this
// process.
func (e *Maker) ShardFromValue(value string) (Shard, error) {
	index, total, err := ParseShard(value)
	if err != nil {
		return Shard{}, InvalidField("shard", value, "%v", err)
	}
	if index > 0 {
		return Shard{Index: index, Count: total}, nil
	}
	p, err := shardFromEnvironment(e.Getenv, total)
	if err != nil {
		return p, InvalidField("shard", value, "%s: %v", value, err)
	}
	return p, nil
}

// taskEngine describes a program that starts one command many times, by the variables that it sets.
type taskEngine struct {
	indexVariable     string // variable with the task's number
	firstTaskVariable string // variable with the number of the first task
	countVariable     string // variable with the number of tasks
	firstTask         int    // number of the first task, if firstTaskVariable is ""
	triesVariable     string // variable with the number of earlier tries of the task; "": the engine sets none
}

// taskEngines lists the programs whose variables --shard auto reads.
var taskEngines = []taskEngine{
	{
		indexVariable:     "SLURM_ARRAY_TASK_ID",
		firstTaskVariable: "SLURM_ARRAY_TASK_MIN",
		countVariable:     "SLURM_ARRAY_TASK_COUNT",
		triesVariable:     "SLURM_RESTART_COUNT",
	},
	{indexVariable: "JOB_COMPLETION_INDEX"}, // Kubernetes
	{indexVariable: "SKYPILOT_JOB_RANK", countVariable: "SKYPILOT_NUM_JOBS"},
	{indexVariable: "DSTACK_NODE_RANK", countVariable: "DSTACK_NODES_NUM"},
	{indexVariable: "PARALLEL_SEQ", firstTask: 1}, // GNU parallel
}

// shardFromEnvironment returns the shard that an engine's variables name. byUser is the user's number of shards, or 0.
func shardFromEnvironment(getenv func(string) string, byUser int) (p Shard, err error) {
	var current *taskEngine
	var names []string
	for _, en := range taskEngines {
		names = append(names, en.indexVariable)
		switch {
		case getenv(en.indexVariable) == "":
		case current != nil:
			return p, fmt.Errorf("%s and %s are both set: give K/N", current.indexVariable, en.indexVariable)
		default:
			current = &en
		}
	}
	if current == nil {
		return p, fmt.Errorf("found no environment variable with the shard's number (looked for %s): give K/N",
			strings.Join(names, ", "))
	}
	return current.shardFromVariables(getenv, byUser)
}

// shardFromVariables returns the shard that the engine's variables name. byUser is the user's number of shards, or 0.
func (en *taskEngine) shardFromVariables(getenv func(string) string, byUser int) (p Shard, err error) {
	var settings []string
	number := func(name string, fallback, minimum int) int {
		text := getenv(name)
		if text == "" {
			return fallback
		}
		n, nerr := strconv.Atoi(text)
		settings = append(settings, name+"="+text)
		if (nerr != nil || n < minimum) && err == nil {
			err = fmt.Errorf("%s=%s is not a number from %d", name, text, minimum)
		}
		return n
	}
	id := number(en.indexVariable, 0, 0)
	first := number(en.firstTaskVariable, en.firstTask, 0)
	p.Count = number(en.countVariable, byUser, 1)
	p.Try = number(en.triesVariable, 0, 0) + 1
	p.EngineVariables = strings.Join(settings, ", ")
	switch {
	case err != nil:
		return p, err
	case p.Count == 0:
		return p, fmt.Errorf("%s does not say how many shards there are: give auto/N", p.EngineVariables)
	case byUser > 0 && byUser != p.Count:
		return p, fmt.Errorf("%s says that there are %d shards, not %d; for a single shard give K/%[3]d",
			p.EngineVariables, p.Count, byUser)
	case en.firstTaskVariable != "" && byUser == 0 && (p.Count == 1 || first > 1):
		return p, fmt.Errorf("%s may be the whole array or a part of a longer one: "+
			"give auto/%d if it is the whole array, otherwise K/N", p.EngineVariables, p.Count)
	case id < first || id-first >= p.Count:
		return p, fmt.Errorf("%s is not one of the %d tasks that begin at %d: "+
			"give the array as a range, or give K/N", p.EngineVariables, p.Count, first)
	}
	p.Index = id - first + 1
	return p, nil
}

// resolveShard replaces auto in the request's shard by the numbers from an engine's variables, and notes them. If an
// engine chose the shard, the run's folder gets the shard's suffix.
func (e *Maker) resolveShard(o *RunRequest) error {
	p, err := e.ShardFromValue(o.Shard)
	if err != nil {
		return err
	}
	if p.EngineVariables != "" {
		e.Notef("shard %s, by %s", p, p.EngineVariables)
		if o.Out != "" {
			o.Out += p.Suffix()
		}
	}
	o.Shard, o.try = p.String(), p.Try
	return nil
}

// selectShard reduces items to those of the request's shard, and describes the shard.
func (o RunRequest) selectShard(subset runItems) (runItems, error) {
	if o.Shard == "" {
		return subset, nil
	}
	index, total, err := ParseShard(o.Shard)
	if err != nil {
		return subset, err
	}
	id := func(i int) string { return subset.set.ItemID(subset.rows[i]) }
	subset.shard = &judging.Shard{
		Index:       index,
		Count:       total,
		Items:       len(subset.rows),
		IDsSHA256:   judging.HashIDs(len(subset.rows), id),
		Dataset:     subset.set.SHA256,
		DatasetPath: o.Dataset,
	}
	subset.places = subset.shard.SelectItems(len(subset.rows), id)
	rows := make([]int, len(subset.places))
	for i, place := range subset.places {
		rows[i] = subset.rows[place]
	}
	subset.rows = rows
	return subset, nil
}

// manifestShard returns the description of the shard for the manifest of a run with this spec; nil without a shard.
func (subset runItems) manifestShard(spec judging.Spec) *judging.Shard {
	if subset.shard == nil {
		return nil
	}
	s := *subset.shard
	s.WholeID = judging.NewManifest("", s.WholeSpec(spec)).ID
	s.SetPlaces(subset.places)
	return &s
}

// keepQuestionPlaces returns items that a stage made of questions. If the questions are a shard, so are the items, each
// with the index of its question as its place.
func (subset runItems) keepQuestionPlaces(questions runItems) (runItems, error) {
	if questions.shard == nil {
		return subset, nil
	}
	place := make(map[string]int, len(questions.rows))
	for i, row := range questions.rows {
		place[questions.set.ItemID(row)] = questions.places[i]
	}
	subset.shard = questions.shard
	for _, row := range subset.rows {
		item, err := subset.set.Item(row)
		if err != nil {
			return subset, err
		}
		subset.places = append(subset.places, place[judging.QuestionID(item)])
	}
	return subset, nil
}

// cacheFolder returns the folder of the cache. A shard has its own, since only one process at a time can use a cache.
func (p *runState) cacheFolder() string {
	switch {
	case p.req.Shard == "":
		return p.req.Cache
	case p.req.Cache == "":
		return filepath.Join(p.out, judging.CacheDir)
	}
	return filepath.Join(p.req.Cache, filepath.Base(p.out))
}

// filesOfRun lists the files of a run or suite with which a later try of its shard continues.
var filesOfRun = append(slices.Clone(judging.RunFiles), scoring.SuiteRunsFile)

// CopyEarlierTry copies the files of the previous try into the folder of a shard's later try, unless that folder
// exists. If the previous try is still running, both ask for the same judgments, and merging resolves it.
func CopyEarlierTry(out string, try int) error {
	if disk.Exists(out) {
		return nil
	}
	first := strings.TrimSuffix(filepath.Clean(out), judging.TrySuffix(try))
	for number := try - 1; number > 0; number-- {
		earlier := first + judging.TrySuffix(number)
		if !disk.Exists(earlier) {
			continue
		}
		err := disk.MakeDir(out, func(part string) error { return disk.CopyFiles(earlier, part, filesOfRun...) })
		if err != nil {
			return fmt.Errorf("going on with %s: %w", earlier, err)
		}
		return nil
	}
	return nil
}

// firstItem returns the first item: its shape is that of all items.
func (subset runItems) firstItem() (datasets.Item, error) {
	row := 0 // for a shard without items
	if len(subset.rows) > 0 {
		row = subset.rows[0]
	}
	return subset.set.Item(row)
}
