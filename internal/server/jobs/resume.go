package jobs

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/internal/server/failure"
	"gavel/judging"
)

// RunCommand returns the `gavel run` command that makes or continues a run in the folder out; "" for an imported run.
func RunCommand(m *judging.Manifest, out string) string {
	if o, ok := eval.RequestOf(m); ok {
		o.Out = out
		return o.Command()
	}
	return ""
}

// Resume begins a job that continues a run of the server's folder. A run made with a file that is not part of its
// folder, or with a server that is not offered, can be continued at the command line only.
func (r *Manager) Resume(ctx context.Context, run string) (Job, error) {
	dir := filepath.Join(r.runsFolder, filepath.FromSlash(run))
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return Job{}, failure.WithStatus(http.StatusUnprocessableEntity, err)
	}
	previous, ok := eval.RequestOf(m)
	switch {
	case !ok:
		return Job{}, failure.Conflict("%s was imported: there is nothing to ask", run)
	case m.Status == judging.Complete:
		return Job{}, failure.Conflict("%s is complete: there is nothing left to ask", run)
	}
	var o eval.RunRequest
	request, err := r.toJobRequest(ctx, previous)
	if err == nil {
		o, err = r.runRequest(ctx, request)
	}
	if err != nil {
		return Job{}, failure.Conflict("%s cannot be resumed from here: %v. "+
			"Use the command line: %s", run, err, RunCommand(m, dir))
	}
	o.Out = dir
	o.PromptGiven = previous.PromptGiven
	return r.beginRun(Job{Request: request, ResumedRun: run}, o)
}

// toJobRequest turns previous, the request that made a run, into a job request that would make the same run.
func (r *Manager) toJobRequest(ctx context.Context, previous eval.RunRequest) (JobRequest, error) {
	request := JobRequest{
		fieldProtocol: {previous.Protocol},
		fieldModel:    {previous.Model},
		fieldDataset:  {previous.Dataset},
	}
	for name, values := range previous.NonDefaults() {
		switch name {
		case "backend", "base-url", "model", "dataset":
		case "own", "agents", "reference":
			for _, value := range values {
				dir, err := filepath.Abs(value)
				if err != nil {
					return nil, err
				}
				if disk.Exists(filepath.Join(dir, judging.ManifestFile)) {
					value = r.nameOfFolder(dir)
				}
				request[name] = append(request[name], value)
			}
		default:
			request[name] = values
		}
	}
	ids, err := r.endpointIDs(ctx, previous.Endpoint, previous.Model)
	if err != nil {
		return nil, fmt.Errorf("its server: %w", err)
	}
	request[fieldEndpoint] = ids
	return request, nil
}
