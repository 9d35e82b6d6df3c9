package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/internal/eval"
	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
	"gavel/judging"
)

// TestAFieldIsOneEntry: every entry of the table of fields is a flag, a key of a suite's file, a field of the form and
// of the API's description, and its bounds hold by each of these ways.
func TestAFieldIsOneEntry(t *testing.T) {
	home(t)
	r, err := jobs.New(t.Context(), *newEnv(nil, nil, nil).maker(), jobs.Options{Runs: "runs", MaxActive: 1, RunListShows: store.CanList})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("r", 0o755); err != nil {
		t.Fatal(err)
	}
	var api struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(sourceDir, "../server/openapi.json"))), &api); err != nil {
		t.Fatal(err)
	}
	order := api.Components.Schemas["Order"].Properties
	bounded := 0
	for _, protocol := range judging.Protocols() {
		help := mustCall(t, "run", protocol.Name, "--help", "all")
		offer, err := r.Offer(t.Context(), protocol.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range eval.ProtocolFields(protocol) {
			if !strings.Contains(help, "--"+f.Name+" ") {
				t.Errorf("%s: --%s is not in the help", protocol.Name, f.Name)
			}
			offered := slices.ContainsFunc(offer.Fields, func(o jobs.FormField) bool { return o.Name == f.Name && o.Default == f.Default && o.Label != "" })
			if want := !f.Local; offered != want || want && order[f.Name] == nil {
				t.Errorf("%s: the form has %s: %v, the API: %v", protocol.Name, f.Name, offered, order[f.Name])
			}
			if f.Kind != eval.FieldKindNumber || f.Min == 0 || protocol.Name != "pairwise" && protocol.Name != "multi-option" {
				continue
			}
			bounded++
			low := strconv.Itoa(f.Min - 1)
			want := fmt.Sprintf("%s: it must be at least %d", low, f.Min)
			ends(t, exitUsage, want, "run", protocol.Name, "--backend", "sim", "--model", "coin", "--dataset", "sample", "--"+f.Name, low)
			suite := fmt.Sprintf("judges: [{model: coin, backend: sim}]\nconditions: [{protocol: %s, dataset: sample, %s: %s}]\n", protocol.Name, f.Name, low)
			ends(t, exitUsage, want, "suite", "plan", write(t, "s.yaml", suite))
			job := jobs.JobRequest{"protocol": {protocol.Name}, "endpoint": {"sim"}, "model": {"coin"}, "dataset": {"sample"}, f.Name: {low}}
			if _, err := r.Plan(t.Context(), job); low != f.Default && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("an order with %s %s: %v", f.Name, low, err)
			}
		}
	}
	if bounded < 8 {
		t.Errorf("%d fields with bounds", bounded)
	}
}
