package server

import "gavel/internal/server/jobs"

// fieldView is a field with what was filled in.
type fieldView struct {
	jobs.Field
	Value string
	On    bool
}

// fieldOf is a field as a job request fills it in. A job request without a switch leaves it off, unless
// nothing was asked for yet.
func fieldOf(f jobs.Field, o jobs.JobRequest) fieldView {
	v := fieldView{Field: f, Value: or(o, f.Name, f.Default)}
	v.On = v.Value != "" && v.Value != "false"
	return v
}

// axisView is a field of which a suite takes several values.
type axisView struct {
	fieldView
	view startSuiteView
}

// Axes are the fields of one part of the form: those that say what is judged, or those that say how.
func (v startSuiteView) Axes(what bool) []axisView {
	var out []axisView
	for _, f := range v.Fields {
		if (f.Part == "what") != what {
			continue
		}
		if f.Kind == "switch" {
			f.Values = []string{"false", "true"}
		}
		out = append(out, axisView{fieldOf(f, v.Order), v})
	}
	return out
}

// On tells whether a value is chosen.
func (a axisView) On(value string) bool { return a.view.Has(a.Name, value, a.Default) }
