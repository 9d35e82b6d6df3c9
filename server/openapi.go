package server

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"gavel/report"
	"gavel/server/jobs"
)

//go:embed openapi.json
var openAPIFile []byte

// openAPI is the description of the API. What an order may say is not written
// down twice: it comes from the fields of a request.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	var doc map[string]any
	if err := json.Unmarshal(openAPIFile, &doc); err != nil {
		return err
	}
	order := doc["components"].(map[string]any)["schemas"].(map[string]any)["Order"].(map[string]any)
	order["properties"] = jobs.OrderProperties()
	w.Header().Set("Content-Type", "application/json")
	return report.WriteJSON(w, doc)
}
