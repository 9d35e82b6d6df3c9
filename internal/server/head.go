package server

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/jury"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// RunHead holds what the server shows of a run wherever it names the run: the manifest's main values.
type RunHead struct {
	Name      string    `json:"run" jsonschema:"name: the run's folder, below the folder of runs"`
	ID        string    `json:"id,omitempty" jsonschema:"SHA-256 of the spec"`
	Model     string    `json:"model,omitempty"`
	Protocol  string    `json:"protocol,omitempty"`
	Goal      string    `json:"goal,omitempty"`
	Prompt    string    `json:"prompt,omitempty"`
	Settings  string    `json:"settings,omitempty" jsonschema:"settings besides the prompt"`
	Dataset   string    `json:"dataset,omitempty"`
	Shard     string    `json:"shard,omitempty" jsonschema:"which part of a larger run it is, such as 3/16"`
	Simulated bool      `json:"simulated"`
	Imported  string    `json:"imported,omitempty"`
	Status    string    `json:"status" jsonschema:"running, complete, incomplete, interrupted, stopped or damaged"`
	Stalled   bool      `json:"stalled,omitempty" jsonschema:"running, but nothing was written for 15 minutes"`
	Items     int       `json:"items"`
	Judgments int       `json:"judgments" jsonschema:"expected: items × presentations × repetitions"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`

	About judging.RunDescription `json:"about,omitzero" jsonschema:"name, tags and note that people gave the run"`

	ItemsOf string `json:"-"` // gavel's name of the dataset with exactly these items, else Dataset

	IsJury bool `json:"-"` // the run combines the verdicts of other runs

	judgeName string // name of the judge in the suite's file; "" for none
}

// damagedStatus is the status of a folder that has a run's files but cannot be read.
const damagedStatus = "damaged"

// headOf returns the RunHead of the run called name, without the name, tags and note that people gave it.
func headOf(name string, m *judging.Manifest) RunHead {
	p := m.Spec.Parameters
	settings := m.Spec.SettingLabels()
	if p.Repetitions() > 1 {
		settings = append(settings, fmt.Sprintf("asked %d times", p.Repetitions()))
	}
	h := RunHead{
		Name:      name,
		ID:        m.ID,
		Model:     m.Spec.Model.Name,
		Protocol:  m.Spec.Protocol,
		Goal:      m.Spec.Goal,
		Prompt:    m.Spec.Prompt.Name,
		Settings:  strings.Join(settings, ", "),
		Dataset:   m.Dataset.Name,
		ItemsOf:   datasets.RegistryName(m.ItemsFileKey(), m.Dataset.Name),
		Simulated: m.Simulated,
		Imported:  m.Imported,
		Status:    m.Status,
		Items:     m.Spec.Dataset.Items,
		Judgments: m.Judgments,
		Started:   m.Started,
		Ended:     m.Ended,
		IsJury:    jury.MemberRuns(m) != nil,
		judgeName: m.Name,
	}
	if m.Shard != nil {
		h.Shard = m.Shard.String()
	}
	return h
}

// runHead returns the RunHead of the run called name, with the name, tags and note that people gave it.
func (s *Server) runHead(name string, m *judging.Manifest) RunHead {
	h := headOf(name, m)
	h.About = s.runs.About(name)
	return h
}

// URL returns the address of the run's page.
func (h RunHead) URL() string { return runURL(h.Name) }

// GivenJudgeName returns the name that people or a suite's file gave the run's judge; "" without one.
func (h RunHead) GivenJudgeName() string { return cmp.Or(h.About.Name, h.judgeName) }

// Judge returns the name of the run's judge.
func (h RunHead) Judge() string { return cmp.Or(h.GivenJudgeName(), scoring.JudgeName(h.Model)) }

// Title returns the name that people gave the run, else the path of its folder.
func (h RunHead) Title() string { return cmp.Or(h.About.Name, h.Name) }

// asks returns the question that the run asks its judge, in a few words.
func (h RunHead) asks() string {
	return report.JudgeQuestion(scoring.Report{Protocol: h.Protocol, Goal: h.Goal})
}
