package jobs

import (
	"net/url"
	"time"
)

// JobRequest holds the fields of a request to plan or start a run or suite, each with its values.
type JobRequest = url.Values

// Offer holds the choices of the form for a new run.
type Offer struct {
	Protocol  string          `json:"protocol"`
	Protocols []NamedAbout    `json:"protocols"`
	Endpoints []EndpointOffer `json:"endpoints"`
	Datasets  []NamedAbout    `json:"datasets"`
	Fields    []FormField     `json:"fields"`
	Notes     []string        `json:"notes,omitempty"`
}

// NamedAbout holds the name of a protocol or dataset, and a sentence about it.
type NamedAbout struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
}

// EndpointOffer holds a server of models that a new run may use, with its URL as the id, or the simulated judges.
type EndpointOffer struct {
	ID     string   `json:"id"`
	About  string   `json:"about"`
	Models []string `json:"models,omitempty"`
	Error  string   `json:"error,omitempty"` // why its models cannot be listed
}

// FormField describes a field of the form for a new run.
type FormField struct {
	Name    string   `json:"name"`
	Label   string   `json:"label" jsonschema:"label in forms"`
	About   string   `json:"about"`
	Kind    string   `json:"kind" jsonschema:"text, number, switch or choice"`
	Default string   `json:"default,omitempty"`
	Values  []string `json:"values,omitempty" jsonschema:"values of a choice"`
	Part    string   `json:"part" jsonschema:"part of the form"`
	Many    bool     `json:"many,omitempty" jsonschema:"accepts several values"`
}

// Planned holds the plan of a run, and of the runs whose replies it needs: each of them is a stage.
type Planned struct {
	Stages []PlannedStage `json:"stages"`
	Notes  []string       `json:"notes,omitempty" jsonschema:"notes of the planning"`
}

// PlannedStage holds the plan of one run: the last, or one whose replies a later run needs.
type PlannedStage struct {
	Run      string         `json:"run"`
	Exists   bool           `json:"exists" jsonschema:"the run exists and would be continued"`
	Rows     []PlanRow      `json:"rows" jsonschema:"for people"`
	Numbers  map[string]int `json:"numbers"` // such as judgments, cached and calls, by name
	Seconds  *float64       `json:"seconds" jsonschema:"expected duration; null if unknown"`
	Time     string         `json:"time" jsonschema:"duration in words"`
	Messages []PlanMessage  `json:"first_prompt"` // messages of the first prompt
}

// PlanRow holds a line of a plan as people read it, such as "judgments" and "840".
type PlanRow struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// PlanMessage holds a message of the first prompt that the run would send. Its role is system or user.
type PlanMessage struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// SuitePlanned holds the plan of a suite: of all runs that its file describes.
type SuitePlanned struct {
	Suite          string   `json:"suite" jsonschema:"folder of its runs"`
	ExceededLimits []string `json:"above" jsonschema:"limits of its file that the plan exceeds: to start anyway, send yes"`
	Plan           any      `json:"plan" jsonschema:"as gavel suite plan --format json"`
	Notes          []string `json:"notes" jsonschema:"notes of the planning"`
}

// States of a job.
const (
	Preparing = "preparing" // no run has been opened yet
	Running   = "running"   // a run has been opened
	Stopping  = "stopping"  // a client has stopped it; requests in flight finish
	Complete  = "complete"  // everything was asked; Error may name missing verdicts
	Stopped   = "stopped"   // ended before its runs were complete, by a client or with the server
	Failed    = "failed"    // ended by Error
)

// Job describes the work of this server on a run, with the runs whose replies it needs, or on a suite.
type Job struct {
	ID         string     `json:"id"`
	State      string     `json:"state" jsonschema:"preparing, running, stopping, complete, stopped, failed"`
	Suite      string     `json:"suite,omitempty" jsonschema:"folder of the suite that it makes"`
	ResumedRun string     `json:"resumes,omitempty" jsonschema:"the run that the job was started to continue"`
	Runs       []string   `json:"runs" jsonschema:"names of its runs so far; the last is in progress"`
	Request    JobRequest `json:"order" jsonschema:"the job request"`
	Log        []string   `json:"log" jsonschema:"messages, the newest last"`
	Error      string     `json:"error,omitempty" jsonschema:"why the job ended"`
	Started    time.Time  `json:"started"`
	Ended      time.Time  `json:"ended,omitzero"`
}

// Active reports whether the job has not ended.
func (j Job) Active() bool { return j.Ended.IsZero() }

// Run returns the name of the run in progress, else of the job's last run; "" before the first.
func (j Job) Run() string {
	if len(j.Runs) == 0 {
		return ""
	}
	return j.Runs[len(j.Runs)-1]
}
