package jobs

import (
	"net/url"
	"time"
)

// JobRequest has the values of a request by the names of its fields.
type JobRequest = url.Values

// Offer has the choices of a form.
type Offer struct {
	Protocol  string          `json:"protocol"`
	Protocols []NamedAbout    `json:"protocols"`
	Endpoints []EndpointOffer `json:"endpoints"`
	Datasets  []NamedAbout    `json:"datasets"`
	Fields    []Field         `json:"fields"`
	Notes     []string        `json:"notes,omitempty"`
}

// NamedAbout is a choice.
type NamedAbout struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
}

// EndpointOffer is a server of models, whose id is its URL, or the simulation.
type EndpointOffer struct {
	ID     string   `json:"id"`
	About  string   `json:"about"`
	Models []string `json:"models,omitempty"`
	Error  string   `json:"error,omitempty"`
}

// Field is a field of a form.
type Field struct {
	Name    string   `json:"name"`
	Label   string   `json:"label" jsonschema:"what forms call it"`
	About   string   `json:"about"`
	Kind    string   `json:"kind" jsonschema:"text, number, switch or choice"`
	Default string   `json:"default,omitempty"`
	Values  []string `json:"values,omitempty" jsonschema:"of a choice"`
	Part    string   `json:"part" jsonschema:"of the form"`
	Many    bool     `json:"many,omitempty" jsonschema:"may be given several times"`
}

// Planned is the plan of a run: its stages, mostly one.
type Planned struct {
	Stages []PlannedStage `json:"stages"`
	Notes  []string       `json:"notes,omitempty" jsonschema:"what was said while it was worked out"`
}

// PlannedStage is the plan of a stage.
type PlannedStage struct {
	Run      string         `json:"run"`
	Exists   bool           `json:"exists" jsonschema:"it goes on with a run that is there"`
	Rows     []PlanRow      `json:"rows" jsonschema:"for people"`
	Numbers  map[string]int `json:"numbers"`
	Seconds  *float64       `json:"seconds" jsonschema:"that it takes; null where nobody knows"`
	Time     string         `json:"time" jsonschema:"the same for people"`
	Messages []PlanMessage  `json:"first_prompt"`
}

// PlanRow is a line of a plan.
type PlanRow struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// PlanMessage is a turn of the first prompt.
type PlanMessage struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// SuitePlanned is the plan of a suite.
type SuitePlanned struct {
	Suite string   `json:"suite" jsonschema:"the folder of its runs"`
	Above []string `json:"above" jsonschema:"limits of its file that it is above: to start it then, say yes"`
	Plan  any      `json:"plan" jsonschema:"as 'gavel suite plan --format json' has it"`
	Notes []string `json:"notes" jsonschema:"what was said while it was worked out"`
}

// States of a job.
const (
	Preparing = "preparing"
	Running   = "running"
	Stopping  = "stopping"
	Complete  = "complete"
	Stopped   = "stopped"
	Failed    = "failed"
)

// Job is a run that this server makes, with the stages it stands on, or a suite.
type Job struct {
	ID      string     `json:"id"`
	State   string     `json:"state" jsonschema:"preparing, running, stopping, complete, stopped, failed"`
	Suite   string     `json:"suite,omitempty" jsonschema:"that it makes"`
	Resumes string     `json:"resumes,omitempty" jsonschema:"the run that it goes on with, where it was begun for that"`
	Runs    []string   `json:"runs" jsonschema:"that it has made so far, by name; the last is being made"`
	Request JobRequest `json:"order" jsonschema:"what was asked for"`
	Log     []string   `json:"log" jsonschema:"what was said of it, the newest last"`
	Error   string     `json:"error,omitempty" jsonschema:"why it ended"`
	Started time.Time  `json:"started"`
	Ended   time.Time  `json:"ended,omitzero"`
}

// Active reports whether the job has not ended.
func (j Job) Active() bool { return j.Ended.IsZero() }

// Run returns the run that is being made, or the last one; "" before the first.
func (j Job) Run() string {
	if len(j.Runs) == 0 {
		return ""
	}
	return j.Runs[len(j.Runs)-1]
}
