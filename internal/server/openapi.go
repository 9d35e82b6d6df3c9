package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"

	"gavel/internal/server/jobs"
)

//go:embed openapi.json
var openAPIFile []byte

// openAPI is the description of the API. What a job request may say is not written
// down twice: it comes from the fields of a request.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	fields, err := json.MarshalIndent(jobs.JobRequestProperties(), "        ", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(bytes.Replace(openAPIFile, []byte(`"properties": {}`),
		append([]byte(`"properties": `), fields...), 1))
	return err
}
