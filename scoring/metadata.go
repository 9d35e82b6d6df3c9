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

// Metadatum holds the name and the value of one of a run's settings, for display.
type Metadatum struct{ Name, Value string }

// Metadata lists the settings in a run's manifest for display. It omits the addresses of servers: they change no
// number, and a page may be published.
func Metadata(m *judging.Manifest) []Metadatum {
	var metadata []Metadatum
	add := func(name, value string) {
		if value != "" {
			metadata = append(metadata, Metadatum{name, value})
		}
	}
	p := m.Spec.Parameters
	add("model", m.Spec.Model.Name)
	add("parameters", m.Model.Parameters)
	add("quantisation", m.Model.Quantisation)
	add("identity", m.Spec.Model.Identity)
	add("server", servers(m))
	add("protocol", m.Spec.Protocol)
	add("goal", m.Spec.Goal)
	prompt := m.Spec.Prompt.Name
	if sum := m.Spec.Prompt.SHA256; sum != "" { // without the hash the prompt's text is unknown
		prompt += " (SHA-256 " + shortHash(sum) + ")"
	}
	add("prompt", prompt)
	for _, name := range slices.Sorted(maps.Keys(m.Spec.ProtocolOptions)) {
		add(name, m.Spec.ProtocolOptions[name])
	}
	add("dataset", m.Dataset.Name)
	add("items", itemCount(m))
	add("dataset file", "SHA-256 "+shortHash(m.Spec.Dataset.SHA256))
	for _, setting := range []struct{ name, value string }{
		{"temperature", strconv.FormatFloat(p.Temperature, 'g', -1, 64)}, {"top_p", strconv.FormatFloat(p.TopP, 'g', -1, 64)},
		{"seed", strconv.Itoa(p.Seed)}, {"max tokens", strconv.Itoa(p.MaxTokens)},
	} {
		if p.AreUnknown() {
			setting.value = "unknown"
		}
		add(setting.name, setting.value)
	}
	if p.NumCtx > 0 {
		add("context asked for", strconv.Itoa(p.NumCtx))
	}
	for _, setting := range p.Settings() {
		add(setting.About, setting.Value)
	}
	times := fmt.Sprintf("%d times", p.Repetitions())
	if p.Repetitions() == 1 {
		times = "once"
	}
	add("asked", times)
	for _, s := range m.Stages {
		add(s.Role+"'s answers", s.Model+" (run "+shortHash(s.ID)+")")
	}
	add("imported from", m.Imported)
	add("started", timestamp(m.Started))
	add("ended", timestamp(m.Ended))
	add("status", m.Status)
	add("made by", "gavel "+m.Gavel)
	add("run", shortHash(m.ID))
	return metadata
}

// JudgeMetadata returns the settings of [Metadata] that distinguish judges: the model, its server and its parameters.
func JudgeMetadata(m *judging.Manifest) []Metadatum {
	all := Metadata(m)
	last := slices.IndexFunc(all, func(d Metadatum) bool { return d.Name == "asked" })
	return slices.DeleteFunc(all[:last+1], func(d Metadatum) bool {
		return slices.Contains([]string{"protocol", "goal", "dataset", "items", "dataset file"}, d.Name)
	})
}

// DistinctSettings returns for each run the settings in which its judge differs from other judges of the same name, as
// text; "" if there are none. names are the judges' names, one for each run.
func DistinctSettings(runs []*judging.Manifest, names []string) []string {
	type entry struct {
		name string
		Metadatum
	}
	count := map[entry]int{}
	for i, m := range runs {
		for _, d := range append(JudgeMetadata(m), Metadatum{}) { // the last counts the runs
			count[entry{names[i], d}]++
		}
	}
	out := make([]string, len(runs))
	for i, m := range runs {
		var words []string
		for _, d := range JudgeMetadata(m) {
			differs := count[entry{names[i], d}] < count[entry{name: names[i]}]
			if differs && (d.Name != "identity" || len(words) == 0) {
				words = append(words, d.Name+" "+d.Value)
			}
		}
		out[i] = strings.Join(words, ", ")
	}
	return out
}

// shortHash returns the first 12 characters of a hash, enough to identify it.
func shortHash(hash string) string { return hash[:min(12, len(hash))] }

func servers(m *judging.Manifest) string {
	all := m.AllServers()
	var names []string
	for _, s := range all {
		name := strings.TrimSpace(cmp.Or(s.Name, s.WireFormat) + " " + s.Version)
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	out := strings.Join(names, ", ")
	if len(all) > 1 {
		out += fmt.Sprintf(" (%d endpoints)", len(all))
	}
	return out
}

func itemCount(m *judging.Manifest) string {
	out := fmt.Sprintf("%d of %d", m.Spec.Dataset.Items, m.Dataset.Rows)
	if m.Dataset.Sample > 0 {
		out += fmt.Sprintf(", drawn with seed %d", m.Dataset.Seed)
	}
	if m.Dataset.Skipped > 0 {
		out += fmt.Sprintf("; %d lines could not be read", m.Dataset.Skipped)
	}
	return out
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
