package backends

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// TestAServerKindIsAFile: a kind is recognised, asked in its own members and looked for on its port,
// and others learn what it can do from the kind alone.
func TestAServerKindIsAFile(t *testing.T) {
	before := slices.Clone(kinds)
	defer func() { kinds = before }()
	kinds = append([]*serverKind{{
		name:    "Newcomer",
		wire:    openAIFormat,
		ownedBy: "newcomer",
		ports:   []string{"4321"},
		can:     map[Feature]string{LimitsThinking: "1.2.0", ReservesReplyRoom: ""},
		version: func(context.Context, *OpenAI) string { return "1.1.0" },
		extend:  func(body map[string]any, _ ServerInfo, req Request) { body["most_thoughts"] = req.ThinkBudget },
		advice:  Advice{RaiseParallel: "start it anew"},
	}}, kinds...)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"tiny","owned_by":"newcomer"}]}`)
	})
	var sent map[string]any
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&sent)
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"[[A>B]]"}}]}`)
	})
	testServer := httptest.NewServer(mux)
	defer testServer.Close()
	server, err := Probe(t.Context(), testServer.Client(), testServer.URL, "")
	if err != nil || server.Name != "Newcomer" || server.Version != "1.1.0" {
		t.Fatalf("%+v, %v", server, err)
	}
	if server.Can(LimitsThinking) || server.FirstVersionWith(LimitsThinking) != "1.2.0" || !server.Can(ReservesReplyRoom) || server.Can(SetsContext) {
		t.Errorf("what %+v can do is not what its kind says", server)
	}
	if server.Advice().RaiseParallel != "start it anew" || !slices.Contains(LocalPorts(), "4321") {
		t.Errorf("%+v, ports %v", server.Advice(), LocalPorts())
	}
	b, err := Open(server, "", testServer.Client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ask(t.Context(), Request{Model: "tiny", ThinkBudget: 7, MaxTokens: 9}); err != nil || sent["most_thoughts"] != 7.0 {
		t.Errorf("%v: it was sent %v", err, sent)
	}
}

// TestKindsAreToldApart: no two have a name, a mark in the list of models or a port in common, and each wire format
// opens.
func TestKindsAreToldApart(t *testing.T) {
	owners := map[string]string{}
	for _, k := range kinds {
		for _, mark := range append([]string{"name " + k.name, "owner " + k.ownedBy}, k.ports...) {
			if other, twice := owners[mark]; twice && mark != "owner " {
				t.Errorf("%s and %s have %q in common", other, k.name, mark)
			}
			owners[mark] = k.name
		}
		if _, err := Open(ServerInfo{WireFormat: k.wire, URL: "http://h"}, "", http.DefaultClient); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	if _, err := Open(ServerInfo{WireFormat: "import"}, "", http.DefaultClient); err == nil {
		t.Error("an import is opened")
	}
	if got := fmt.Sprint(WireFormats()); got != "[ollama openai sim systemone]" {
		t.Errorf("wires are %s", got)
	}
}
