package scoring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/judging"
)

// Metadatum is a line of what a run was made with, for people.
type Metadatum struct{ Name, Value string }

// Metadata tells a manifest for people. The addresses of servers are left out: they
// change no number, and a page may travel further than they should.
func Metadata(m *judging.Manifest) []Metadatum {
	var metadata []Metadatum
	say := func(name, value string) {
		if value != "" {
			metadata = append(metadata, Metadatum{name, value})
		}
	}
	p := m.Spec.Parameters
	say("model", m.Spec.Model.Name)
	say("parameters", m.Model.Parameters)
	say("quantisation", m.Model.Quantisation)
	say("identity", m.Spec.Model.Identity)
	say("server", servers(m))
	say("protocol", m.Spec.Protocol)
	say("goal", m.Spec.Goal)
	prompt := m.Spec.Prompt.Name
	if sum := m.Spec.Prompt.SHA256; sum != "" { // else its text is not known
		prompt += " (SHA-256 " + short(sum) + ")"
	}
	say("prompt", prompt)
	for _, name := range slices.Sorted(maps.Keys(m.Spec.Options)) {
		say(name, m.Spec.Options[name])
	}
	say("dataset", m.Dataset.Name)
	say("items", picked(m))
	say("dataset file", "SHA-256 "+short(m.Spec.Dataset.SHA256))
	for _, asked := range []struct{ name, value string }{
		{"temperature", strconv.FormatFloat(p.Temperature, 'g', -1, 64)}, {"top_p", strconv.FormatFloat(p.TopP, 'g', -1, 64)},
		{"seed", strconv.Itoa(p.Seed)}, {"max tokens", strconv.Itoa(p.MaxTokens)},
	} {
		if p.Unknown() {
			asked.value = "unknown"
		}
		say(asked.name, asked.value)
	}
	if p.NumCtx > 0 {
		say("context asked for", strconv.Itoa(p.NumCtx))
	}
	for _, setting := range p.Settings() {
		say(setting.About, setting.Value)
	}
	say("asked", times(p.Repetitions()))
	for _, s := range m.Stages {
		say(s.Role+"'s answers", s.Model+" (run "+short(s.ID)+")")
	}
	say("imported from", m.Imported)
	say("started", moment(m.Started))
	say("ended", moment(m.Ended))
	say("status", m.Status)
	say("made by", "gavel "+m.Gavel)
	say("run", short(m.ID))
	return metadata
}

// JudgeData returns the part of Metadata that tells judges apart: the model, and how it was served and asked.
func JudgeData(m *judging.Manifest) []Metadatum {
	all := Metadata(m)
	asked := slices.IndexFunc(all, func(d Metadatum) bool { return d.Name == "asked" })
	return slices.DeleteFunc(all[:asked+1], func(d Metadatum) bool {
		return slices.Contains([]string{"protocol", "goal", "dataset", "items", "dataset file"}, d.Name)
	})
}

// Differences says of each of some runs what tells its judge from the others of one name; "" where nothing does.
func Differences(runs []*judging.Manifest, names []string) []string {
	type named struct {
		name string
		Metadatum
	}
	count := map[named]int{}
	for i, m := range runs {
		for _, d := range append(JudgeData(m), Metadatum{}) { // the last counts the runs
			count[named{names[i], d}]++
		}
	}
	out := make([]string, len(runs))
	for i, m := range runs {
		var words []string
		for _, d := range JudgeData(m) {
			differs := count[named{names[i], d}] < count[named{name: names[i]}]
			if differs && (d.Name != "identity" || len(words) == 0) {
				words = append(words, d.Name+" "+d.Value)
			}
		}
		out[i] = strings.Join(words, ", ")
	}
	return out
}

// short is enough of a hash to tell it by.
func short(hash string) string { return hash[:min(12, len(hash))] }

func servers(m *judging.Manifest) string {
	all := m.AllServers()
	var names []string
	for _, s := range all {
		if name := strings.TrimSpace(cmp.Or(s.Name, s.Kind) + " " + s.Version); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	out := strings.Join(names, ", ")
	if len(all) > 1 {
		out += fmt.Sprintf(" (%d endpoints)", len(all))
	}
	return out
}

func picked(m *judging.Manifest) string {
	out := fmt.Sprintf("%d of %d", m.Spec.Dataset.Items, m.Dataset.Rows)
	if m.Dataset.Sample > 0 {
		out += fmt.Sprintf(", drawn with seed %d", m.Dataset.Seed)
	}
	if m.Dataset.Skipped > 0 {
		out += fmt.Sprintf("; %d lines could not be read", m.Dataset.Skipped)
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
