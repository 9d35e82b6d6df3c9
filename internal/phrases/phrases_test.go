package phrases

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

// TestCodes: every code in the program is in the catalogue, with a verb for each argument, and no phrase of the
// catalogue is unused.
func TestCodes(t *testing.T) {
	var used []string // texts that may be codes, or their beginnings
	files := token.NewFileSet()
	check := func(n ast.Node) bool {
		if code, ok := literal(n); ok {
			used = append(used, code)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Ellipsis.IsValid() || addsArguments(call.Fun) {
			return true
		}
		for i, arg := range call.Args {
			code, ok := literal(arg)
			words, known := catalogue()[code]
			f, _ := call.Fun.(*ast.SelectorExpr)
			switch rest := len(call.Args) - 1 - i; {
			case ok && known && verbs(words) != rest:
				t.Errorf("%s: %s takes %d arguments", files.Position(call.Pos()), code, verbs(words))
			case ok && !known && i == 0 && f != nil && isPhrase(f):
				t.Errorf("%s: no phrase %s", files.Position(call.Pos()), code)
			}
		}
		return true
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "layout.yaml") {
			text, err := os.ReadFile(path)
			separates := func(r rune) bool { return strings.ContainsRune(" ,{}\n", r) }
			used = append(used, strings.FieldsFunc(string(text), separates)...)
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
	for code, words := range catalogue() {
		if plain, ok := strings.CutPrefix(code, "scored-"); ok && verbs(catalogue()[plain]) != verbs(words) {
			t.Errorf("%s and %s do not have the same number of arguments", code, plain)
		}
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

// addsArguments reports whether a function is a closure that adds the arguments of the phrases it is called with, or
// BiasAnalysis.Phrase, whose caller does.
func addsArguments(f ast.Expr) bool {
	if method, ok := f.(*ast.SelectorExpr); ok && method.Sel.Name == "PhraseCode" {
		analysis, _ := method.X.(*ast.Ident)
		return analysis != nil && analysis.Name == "s"
	}
	name, _ := f.(*ast.Ident)
	return name != nil && slices.Contains([]string{"say", "sentence", "addPart", "warn"}, name.Name)
}

// isPhrase reports whether the first argument of a function is the code of a phrase.
func isPhrase(f *ast.SelectorExpr) bool {
	of, _ := f.X.(*ast.Ident)
	inPackage := of != nil && (of.Name == "phrases" || of.Name == "doc")
	return inPackage && (f.Sel.Name == "Sentence" || f.Sel.Name == "PhraseNote") || f.Sel.Name == "Remark"
}

// TestExamples: below each phrase stands an example that the phrase can have printed.
func TestExamples(t *testing.T) {
	code, words := "", ""
	for line := range strings.Lines(text + "#\n") {
		line = strings.TrimSuffix(line, "\n")
		example, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && code == "":
			t.Errorf("no phrase above the example %q", example)
		case indented && !printable(words).MatchString(example):
			t.Errorf("%s cannot have printed %q", code, example)
		case !indented && code != "":
			t.Errorf("%s has no example", code)
		}
		code = ""
		if !indented && !strings.HasPrefix(line, "#") {
			code, words, _ = strings.Cut(line, "  ")
		}
	}
}

// printable returns an expression for the sentences that a phrase can print, with anything for each verb.
func printable(words string) *regexp.Regexp {
	expression := "^"
	for {
		v := verb.FindStringIndex(words)
		if v == nil {
			return regexp.MustCompile(expression + regexp.QuoteMeta(words) + "$")
		}
		expression += regexp.QuoteMeta(words[:v[0]])
		switch found := words[v[0]:v[1]]; {
		case found == "%%":
			expression += "%"
		case strings.HasSuffix(found, "s"):
			expression += ".*"
		case strings.HasSuffix(found, "q"):
			expression += `"[^"]+"`
		case strings.HasSuffix(found, "t"):
			expression += "(?:true|false)"
		default:
			expression += `[−-]?\d+(?:\.\d+)?(?:e-\d+)?`
		}
		words = words[v[1]:]
	}
}
