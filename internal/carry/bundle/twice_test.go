package bundle

import (
	"os"
	"testing"

	"gavel/datasets"
)

// A dataset that is named twice is in the bundle once: what is exported can be imported.
func TestDatasetNamedTwice(t *testing.T) {
	m, _ := machine(t, ofBefore)
	name := ""
	for _, k := range m.Library.All() {
		if _, known := datasets.Lookup(k.Name); known && !k.Builtin() {
			name = k.Name
			break
		}
	}
	os.MkdirAll("datasets", 0o755)
	write(t, m.Library.Path(name), []byte("{}\n"))
	_, err := Export(m, ExportRequest{Out: "b.tar", Datasets: []string{name, name}})
	if err != nil {
		return // refused: nobody carries a bundle away that is none
	}
	if _, err := Verify("b.tar"); err != nil {
		t.Error(err)
	}
}

// A run and a suite of one name would be one folder: they are refused in either order.
func TestRunAndSuiteOfOneName(t *testing.T) {
	m, r := machine(t, ofBefore)
	if _, err := Import(t.Context(), m, r); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.MkdirAll("suites", 0o755), os.CopyFS("suites/old/cell", os.DirFS("runs/old")), os.CopyFS("alone/old", os.DirFS("runs/old")),
		os.WriteFile("suites/old/suite.json", []byte(`{"suite":"s","judges":["j"],"conditions":[{"condition":"c"}],"cells":[{"judge":"j","condition":"c","run":"cell"}]}`), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, both := range [][]string{{"suites/old", "alone/old"}, {"alone/old", "suites/old"}} {
		_, err := Export(m, ExportRequest{Out: []string{"one.tar", "two.tar"}[i], Runs: both})
		if err == nil {
			r.Bundle, r.Runs = "two.tar", "new"
			_, err := Import(t.Context(), m, r)
			entries, _ := os.ReadDir("new/old")
			t.Errorf("%v are one folder: %v, %v", both, err, entries)
		}
	}
}
