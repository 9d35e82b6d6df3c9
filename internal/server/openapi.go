package server

import (
	_ "embed"
	"encoding/json"
	"net/http"
)

// openAPIFile describes the API. A test writes it from the routes and the types of their queries, bodies and answers.
//
//go:embed openapi.json
var openAPIFile []byte

// describeAPI returns the OpenAPI description of all calls of the API.
func describeAPI(*http.Request) (description map[string]any, err error) {
	err = json.Unmarshal(openAPIFile, &description)
	return description, err
}
