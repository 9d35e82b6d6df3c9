package server

import "gavel/internal/server/jobs"

// apiCalls describes the calls of the API for openapi.json, by their patterns below /api/v1: their purpose, a struct
// with the parameters, and one with the JSON that is posted. Every call of routes.go has its line here.
var apiCalls = map[string]struct {
	summary     string
	query, body any
}{
	"GET /openapi.json":            {summary: "This document"},
	"GET /leaderboard":             {summary: "The judges of one question on the same items, the best first", query: boardFilter{}},
	"GET /runs/{run}/status":       {summary: "The progress of a run"},
	"GET /offer":                   {summary: "The choices for a run", query: offerFilter{}},
	"POST /plan":                   {summary: "What a run would ask; nothing is asked", body: jobs.JobRequest{}},
	"POST /start":                  {summary: "Start or continue a run", body: jobs.JobRequest{}},
	"POST /runs/{run}/delete":      {summary: "Delete a run", body: confirmation{}},
	"POST /suites/plan":            {summary: "What a suite would ask; nothing is asked", body: suiteOrder{}},
	"POST /suites/start":           {summary: "Start or continue the runs of a suite", body: suiteOrder{}},
	"POST /suites/{suite}/delete":  {summary: "Delete a suite with all runs in its folder", body: confirmation{}},
	"GET /jobs":                    {summary: "The jobs of this server"},
	"GET /jobs/{job}":              {summary: "A job with the progress of its run"},
	"POST /jobs/{job}/stop":        {summary: "Stop a job gently; a second time at once", body: struct{}{}},
	"GET /runs":                    {summary: "The runs of the folder", query: runsFilter{}},
	"GET /runs/{run}":              {summary: "A run"},
	"GET /runs/{run}/items":        {summary: "Items of a run", query: ItemsFilter{}},
	"GET /runs/{run}/items/{item}": {summary: "An item with all its judgments"},
	"GET /suites":                  {summary: "The suites of the folder"},
	"GET /suites/{suite}":          {summary: "A suite: its runs, and the ranking of its judges"},
	"GET /compare":                 {summary: "The comparison of two runs", query: compareFilter{}},
	"GET /compare/item":            {summary: "An item as two runs judged it", query: itemOfTwo{}},
}

// itemOfTwo holds the parameters of the API call that returns an item with the judgments of two runs.
type itemOfTwo struct {
	A    string `json:"a" required:"true" jsonschema:"a run"`
	B    string `json:"b" required:"true" jsonschema:"another"`
	Item string `json:"item" required:"true" jsonschema:"its id"`
}

// confirmation holds the body of a call of the API that deletes a run or suite.
type confirmation struct {
	Confirm string `json:"confirm" jsonschema:"the name or folder to delete"`
}

// offerFilter holds the parameter of the API call that returns the choices for a new run: protocols, servers, datasets
// and settings.
type offerFilter struct {
	Protocol string `json:"protocol"` // "" for the first protocol
}

// suiteOrder holds the body of the calls of the API that plan or start a suite.
type suiteOrder struct {
	File string `json:"file" jsonschema:"YAML of the suite (docs/suites.md), with servers and datasets of the offer"`
	Yes  bool   `json:"yes,omitempty" jsonschema:"start it even if the plan exceeds its limits"`
}
