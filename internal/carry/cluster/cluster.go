// Package cluster writes a script for Slurm that makes a suite in shards, for people to read and to change.
package cluster

import (
	_ "embed" // the script
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
	"time"

	"gavel/datasets"
)

// Job is a suite's script.
type Job struct {
	Name   string        // of the suite
	File   string        // its path
	Out    string        // its folder
	Dir    string        // from where both begin
	Tasks  int           // how many shards
	Time   time.Duration // of one of them
	Server string        // command that starts a server at $PORT for each task; "" where the suite names the servers
}

//go:embed slurm.sh.tmpl
var slurm string

// Write writes the script.
func (j Job) Write(w io.Writer) error {
	t, err := template.New("").Parse(slurm)
	if err != nil {
		return err
	}
	j.Dir = datasets.Quoted(j.Dir) // words of a shell
	j.Out = datasets.Quoted(j.Out)
	j.File = datasets.Quoted(j.File)
	return t.Execute(w, j)
}

// Label is the name as Slurm takes it.
func (j Job) Label() string {
	label := strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(j.Name), "-"), "-")
	return strings.Trim("gavel-"+label[:min(len(label), 40)], "-")
}

var notInLabels = regexp.MustCompile(`[^a-z0-9]+`)

// Clock is the time as Slurm takes it.
func (j Job) Clock() string {
	m := max(1, int((j.Time + time.Minute - 1).Minutes())) // 0 is no limit
	return fmt.Sprintf("%d-%02d:%02d:00", m/60/24, m/60%24, m%60)
}
