package cli

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gavel/internal/eval"
	"gavel/internal/server"
	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
)

// TestAFieldIsOneLine: a field that is added to the table of fields is a flag, a
// key of a suite's file, a field of the form and of the API's description, and its
// value reaches the request by each of these ways.
func TestAFieldIsOneLine(t *testing.T) {
	home(t)
	var got []string
	defer eval.Extend(eval.Field{Name: "flavour", Kind: eval.Text, Part: eval.How, Default: "plain", Help: "the `TASTE` of the judge", Offered: true},
		func(_ *eval.Request, values []string) error { got = append(got, values...); return nil })()

	if help := mustCall(t, "run", "pairwise", "--help"); !strings.Contains(help, "--flavour TASTE") || !strings.Contains(help, `(default: "plain")`) {
		t.Errorf("the help lacks it:\n%s", help)
	}
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--limit", "1", "--flavour", "sweet", "--out", "r")
	mustCall(t, "suite", "plan", write(t, "s.yaml", "judges: [{model: coin, backend: sim}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 1, flavour: [sour, salty]}]\n"))
	r, err := jobs.New(t.Context(), *newEnv(nil, nil, nil).maker(), jobs.Options{Runs: "runs", AtOnce: 1, Shows: store.Shows, Metrics: server.NewMetrics()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Plan(t.Context(), jobs.JobRequest{"protocol": {"pairwise"}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, "limit": {"1"}, "flavour": {"bitter"}}); err != nil {
		t.Error(err)
	}
	if !slices.Equal(got, []string{"sweet", "sour", "salty", "bitter"}) {
		t.Errorf("requests were given %q", got)
	}
	offer, err := r.Offer(t.Context(), "multi-option")
	if err != nil || !slices.ContainsFunc(offer.Fields, func(f jobs.Field) bool { return f.Name == "flavour" && f.Default == "plain" }) {
		t.Errorf("the form: %+v, %v", offer.Fields, err)
	}
	s, err := server.New(server.Options{Runs: "r", Loopback: true, Now: newEnv(nil, nil, nil).now, Log: func(string, ...any) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := httptest.NewRecorder()
	req := httptest.NewRequest("GET", "/api/v1/openapi.json", nil)
	req.Host = "127.0.0.1"
	s.Handler().ServeHTTP(w, req)
	var doc struct {
		Components struct {
			Schemas struct {
				Order struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.Components.Schemas.Order.Properties["flavour"] == nil {
		t.Errorf("the API's description: %v, %.300s", err, w.Body)
	}
}
