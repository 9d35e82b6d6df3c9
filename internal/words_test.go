package internal

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wordCounts count what makes names and comments slow to read. CONTRIBUTING says how to name and comment.
type wordCounts struct {
	Riddles int // doc comments that begin "X is what", "X are those that", …
	IsDocs  int // percentage of the doc comments with their name first that begin "X is" or "X are"
	Names   int // declared names that are participles, prepositions or relative words
}

// Most of each that there may be, in code and in tests. They only go down.
var mostWords = map[bool]wordCounts{
	false: {Riddles: 0, IsDocs: 8, Names: 10},
	true:  {Riddles: 13, IsDocs: 25, Names: 171},
}

var (
	riddle = regexp.MustCompile(`^(is|are) (what|how|whether|where|that of|those|who|whom|by what|of what|from where|` +
		`up to|so many)\b`)
	vague = regexp.MustCompile(`^(asked|said|told|made|held|kept|found|given|begun|known|seen|shown|taken|met|called|` +
		`left|wanted|meant|chosen|drawn|judged|counted|joined|named|placed|listed|stands?|says?|of|is|at|how|who|by|` +
		`what|also|beside|among|against|again|about|within|twin|mine|own|it|its|ours|them|they|such|one|many|few|most|` +
		`least)$`)
)

// TestWordsAreStandard: names are nouns and verbs, and comments say what something does or holds.
func TestWordsAreStandard(t *testing.T) {
	counts := map[bool]*wordCounts{false: {}, true: {}}
	docs := map[bool]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.Contains(path, "/testdata/") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		isTest := strings.HasSuffix(path, "_test.go")
		c := counts[isTest]
		declare := func(id *ast.Ident, doc *ast.CommentGroup) {
			if vague.MatchString(id.Name) {
				c.Names++
				t.Logf("%s: name %s", set.Position(id.Pos()), id.Name)
			}
			text, found := strings.CutPrefix(strings.TrimSpace(doc.Text()), id.Name+" ")
			if !found {
				return
			}
			docs[isTest]++
			if strings.HasPrefix(text, "is ") || strings.HasPrefix(text, "are ") {
				c.IsDocs++
			}
			if riddle.MatchString(text) {
				c.Riddles++
				t.Logf("%s: comment of %s", set.Position(id.Pos()), id.Name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declare(n.Name, n.Doc)
			case *ast.GenDecl:
				for _, s := range n.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						declare(s.Name, cmp.Or(s.Doc, n.Doc))
					case *ast.ValueSpec:
						for _, name := range s.Names {
							declare(name, cmp.Or(s.Doc, n.Doc))
						}
					}
				}
			case *ast.Field:
				for _, name := range n.Names {
					declare(name, nil)
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
						declare(id, nil)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for isTest, c := range counts {
		c.IsDocs = 100 * c.IsDocs / max(1, docs[isTest])
		most := mostWords[isTest]
		if c.Riddles > most.Riddles || c.IsDocs > most.IsDocs || c.Names > most.Names {
			t.Errorf("in tests: %v: %+v, and there may be %+v; -v lists the places", isTest, *c, most)
		}
	}
}
