package doc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*[\d*]*(?:\.[\d*]+)?[a-zA-Z%]`)

// verbs returns how many arguments a phrase takes.
func verbs(words string) (n int) {
	for _, v := range verb.FindAllStringSubmatch(words, -1) {
		switch at, _ := strconv.Atoi(v[1]); {
		case at > 0:
			n = max(n, at)
		case !strings.HasSuffix(v[0], "%"):
			n++
		}
	}
	return n
}

// TestCodes: every code that the program gives to Say or Phrase is in the catalogue, with a verb for each argument,
// and no phrase of the catalogue is unused.
func TestCodes(t *testing.T) {
	var used []string // texts that may be codes, or their beginnings
	files := token.NewFileSet()
	check := func(n ast.Node) bool {
		if code, ok := literal(n); ok {
			used = append(used, code)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || call.Ellipsis.IsValid() {
			return true
		}
		code, ok := literal(call.Args[0])
		words, known := phrases()[code]
		switch f, _ := call.Fun.(*ast.SelectorExpr); {
		case ok && known && verbs(words) != len(call.Args)-1:
			t.Errorf("%s: %s takes %d arguments", files.Position(call.Pos()), code, verbs(words))
		case ok && !known && f != nil && isPhrase(f):
			t.Errorf("%s: no phrase %s", files.Position(call.Pos()), code)
		}
		return true
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "layout.yaml") {
			text, err := os.ReadFile(path)
			used = append(used, strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" ,{}\n", r) })...)
			return err
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err == nil {
			ast.Inspect(f, check)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for code := range phrases() {
		uses := func(text string) bool {
			return text == code || strings.HasSuffix(text, "-") && strings.HasPrefix(code, text)
		}
		if !slices.ContainsFunc(used, uses) {
			t.Errorf("nothing says %s", code)
		}
	}
}

// literal returns the text of a string as the source has it.
func literal(n ast.Node) (string, bool) {
	s, ok := n.(*ast.BasicLit)
	if !ok || s.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(s.Value)
	return text, err == nil
}

// isPhrase tells whether a function is Say or Phrase of this package, or the method of blocks.
func isPhrase(f *ast.SelectorExpr) bool {
	of, _ := f.X.(*ast.Ident)
	return of != nil && of.Name == "doc" && (f.Sel.Name == "Say" || f.Sel.Name == "Phrase") || f.Sel.Name == "Remark"
}
