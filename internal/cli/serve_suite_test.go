package cli

import (
	"net/http"

	"gavel/internal/server/jobs"
)

func (s *serving) startSuite(file string, more ...any) jobs.Job {
	s.t.Helper()
	request := map[string]any{"file": file}
	for i := 0; i+1 < len(more); i += 2 {
		request[more[i].(string)] = more[i+1]
	}
	var j jobs.Job
	if status, text := s.ask("POST", "/api/v1/suites/start", request, &j); status != http.StatusAccepted {
		s.t.Fatalf("it does not start: %d %s", status, text)
	}
	return j
}
