// Package cluster writes what an engine takes to make a suite in shards: a script for Slurm, a manifest for
// Kubernetes. Both are for people to read and to change.
package cluster

import (
	_ "embed" // the script of Slurm
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"

	"gavel/datasets"
	"gavel/judging"
)

// Job is what is written.
type Job struct {
	Name   string        // of the suite
	File   string        // its path
	Text   string        // and what it says
	Out    string        // its folder
	Dir    string        // from where both begin
	Tasks  int           // how many shards
	Time   time.Duration // of one of them
	Server string        // command that starts a server at $PORT for each task; "" where the suite names the servers

	Image, ServerImage string   // of containers
	Keys               []string // variables that hold API keys
}

//go:embed slurm.sh.tmpl
var slurm string

// Write writes the job for an engine: slurm or kubernetes.
func (j Job) Write(w io.Writer, engine string) error {
	if engine == "kubernetes" {
		return j.kubernetes(w)
	}
	t, err := template.New("").Parse(slurm)
	if err != nil {
		return err
	}
	j.Dir = datasets.Quoted(j.Dir) // words of a shell
	j.Out = datasets.Quoted(j.Out)
	j.File = datasets.Quoted(j.File)
	return t.Execute(w, j)
}

// Label is the name as engines take it.
func (j Job) Label() string {
	label := strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(j.Name), "-"), "-")
	return strings.Trim("gavel-"+label[:min(len(label), 40)], "-")
}

var notInLabels = regexp.MustCompile(`[^a-z0-9]+`)

// Key is the name of the suite's file in a ConfigMap.
func (j Job) Key() string {
	return regexp.MustCompile(`[^-._a-zA-Z0-9]+`).ReplaceAllString(filepath.Base(j.File), "-")
}

// Clock is the time as Slurm takes it.
func (j Job) Clock() string {
	m := max(1, int((j.Time + time.Minute - 1).Minutes())) // 0 is no limit
	return fmt.Sprintf("%d-%02d:%02d:00", m/60/24, m/60%24, m%60)
}

// Seconds is the time as Kubernetes takes it.
func (j Job) Seconds() int { return max(60, int(j.Time.Seconds())) }

// Shards are their folders.
func (j Job) Shards() (dirs []string) {
	for i := range j.Tasks {
		dirs = append(dirs, j.Out+judging.ShardSuffix(i+1, j.Tasks, ""))
	}
	return dirs
}
