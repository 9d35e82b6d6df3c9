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
