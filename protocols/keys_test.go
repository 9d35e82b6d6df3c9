package protocols_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// TestMetricsHaveOneName checks that outside the protocols, which declare metrics, no code uses a literal key: it takes
// the headline of a protocol, or a constant of scoring.
func TestMetricsHaveOneName(t *testing.T) {
	keys := map[string]bool{}
	for _, p := range judging.Protocols() {
		for _, term := range scoring.MetricsOf(p.Name) {
			keys[term.Metric] = true
		}
	}
	if !keys["strict"] || len(keys) < 30 {
		t.Fatalf("the protocols have %d metrics", len(keys))
	}
	set := token.NewFileSet()
	check := func(e ast.Expr) {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if key, err := strconv.Unquote(literal.Value); err == nil && keys[key] {
				t.Errorf("%s: the key of a metric, %q", set.Position(literal.Pos()), key)
			}
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "protocols" || d.Name() == "testdata" || d.Name() == "scripts"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr: // rep.Overall("coverage")
				name := nameOf(n.Fun)
				if name == "Overall" || name == "Result" || strings.HasPrefix(name, "Metric") {
					for _, arg := range n.Args {
						check(arg)
					}
				}
			case *ast.SwitchStmt: // switch x.Metric { case "strict":
				if n.Tag == nil || nameOf(n.Tag) != "Metric" {
					break
				}
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						check(e)
					}
				}
			case *ast.BinaryExpr: // x.Metric == "strict"
				if nameOf(n.X) == "Metric" {
					check(n.Y)
				}
			case *ast.KeyValueExpr: // Metric: "strict"
				if nameOf(n.Key) == "Metric" {
					check(n.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// nameOf returns the last name of x, f and r.x; "" of other expressions.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
