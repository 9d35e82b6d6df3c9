// Package internal has only tests, which hold the house to its plan. docs/flow.md draws it.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists the rooms that a room may import from. A room is a folder with all folders below it that have no line of
// their own. Tests may import from anywhere.
var rooms = map[string]string{
	"internal/disk":       "",
	"internal/codec":      "",
	"internal/trials":     "",
	"internal/phrases":    "",
	"backends":            "internal/codec",
	"cache":               "backends internal/codec",
	"datasets/rows":       "",
	"datasets/references": "",
	"datasets":            "datasets/rows datasets/references internal/disk internal/codec",
	"judging":             "datasets datasets/rows backends internal/disk internal/codec",
	"judging/judgingtest": "datasets backends",
	"scoring/stats":       "",
	"scoring/race":        "scoring/stats",
	"scoring":             "internal/phrases judging scoring/stats",

	"internal/jury":  "internal/phrases internal/doc internal/report/table scoring scoring/stats judging backends",
	"internal/plan":  "internal/phrases internal/doc internal/report/table scoring/stats",
	"internal/races": "internal/phrases internal/doc internal/report/table scoring scoring/race scoring/stats datasets",
	"internal/labels": "internal/phrases internal/doc internal/report/table scoring scoring/stats judging datasets" +
		" datasets/rows",
	"internal/report/table": "internal/phrases scoring",
	"internal/doc":          "internal/phrases internal/report/table scoring",
	"internal/report": "internal/phrases internal/doc internal/report/table internal/jury internal/labels scoring" +
		" judging datasets/references internal/codec internal/disk",

	"protocols/reading":       "",
	"protocols/imports":       "judging datasets datasets/rows backends",
	"protocols/protocoltest":  "judging judging/judgingtest datasets backends",
	"protocols/answer":        protocol,
	"protocols/multioption":   protocol + " protocols/probe",
	"protocols/pairwise":      protocol + " protocols/answer datasets/references",
	"protocols/pointwise":     protocol + " protocols/pairwise",
	"protocols/probe":         protocol + " protocols/pairwise",
	"protocols/selfreference": protocol + " protocols/answer",
	anyProtocol:               protocol,
	"protocols": anyProtocol + " protocols/answer protocols/multioption protocols/pairwise protocols/pointwise" +
		" protocols/probe protocols/selfreference protocols/imports" +
		" internal/report scoring judging",

	"internal/eval": "protocols protocols/answer scoring scoring/stats judging cache backends datasets internal/codec" +
		" internal/disk",
	"internal/suite": "internal/phrases backends internal/doc internal/eval internal/races internal/report" +
		" internal/report/table scoring" +
		" scoring/race judging datasets internal/disk",
	"internal/checks": "internal/phrases backends internal/doc internal/eval internal/labels" +
		" internal/report internal/report/table internal/suite scoring scoring/stats judging datasets",
	"internal/carry":  "internal/eval scoring judging backends datasets internal/disk",
	"internal/doctor": "internal/doc judging backends",
	"internal/verdicts": "internal/phrases internal/doc internal/report/table internal/labels scoring" +
		" scoring/stats judging datasets",

	"internal/server/failure": "",
	"internal/server/memo":    "",
	"internal/server/markup":  "internal/doc judging",
	"internal/server/guard":   "internal/server/failure internal/server/markup",
	"internal/server/store": "internal/server/failure internal/server/memo internal/server/markup protocols scoring" +
		" scoring/race judging datasets internal/disk",
	"internal/server/jobs": "internal/server/failure internal/server/memo internal/suite internal/eval scoring" +
		" scoring/race judging datasets backends internal/disk",
	"docs": "",
	"internal/server": "docs internal/doc internal/jury internal/phrases internal/server/failure internal/server/guard" +
		" internal/server/jobs" +
		" internal/server/memo internal/server/markup internal/server/store internal/races internal/report" +
		" internal/report/table internal/labels scoring scoring/race judging datasets internal/codec",

	"internal/cli": "internal/checks internal/doc internal/server internal/server/guard internal/server/jobs" +
		" internal/server/store internal/suite internal/carry internal/doctor internal/eval internal/plan internal/races internal/report" +
		" internal/report/table internal/labels internal/jury internal/verdicts" +
		" protocols protocols/imports protocols/pairwise scoring" +
		" scoring/race judging cache datasets backends internal/cli/manual datasets/references",
	"internal/cli/manual":  "",
	"internal/cli/clitest": "",
	"cmd":                  "internal/cli",
}

// anyProtocol is the room of a protocol's folder that has no line of its own: a new one needs none.
const anyProtocol = "protocols/*"

// protocol is what every protocol may import.
const protocol = "protocols/imports protocols/reading internal/doc internal/phrases internal/report" +
	" internal/report/table" +
	" scoring scoring/stats judging datasets backends internal/codec internal/disk"

// only lists the modules that one place alone may import, so that to leave them is a change of that place.
var only = map[string]string{
	"github.com/urfave/cli":        "internal/cli/",
	"github.com/ollama/ollama":     "backends/ollama.go",
	"github.com/sashabaranov":      "backends/",
	"github.com/dgraph-io/badger":  "cache/",
	"gavel/judging/judgingtest":    "protocols/protocoltest/",
	"gavel/protocols/protocoltest": "none",
}

// TestEveryImportGoesDown: no package imports what the plan does not allow, and the plan allows nothing unused.
func TestEveryImportGoesDown(t *testing.T) {
	used := map[string]bool{}
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "scripts" || strings.HasPrefix(name, ".") && path != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			checkImport(t, path, imported, used)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, allowed := range rooms {
		for other := range strings.FieldsSeq(allowed) {
			if !used[room+" "+other] && !strings.HasPrefix(allowed, protocol) && other != anyProtocol {
				t.Errorf("the plan lets %s import %s, and it does not: take that out", room, other)
			}
		}
	}
}

func checkImport(t *testing.T, path, imported string, used map[string]bool) {
	for module, place := range only {
		if strings.HasPrefix(imported, module) && !strings.HasPrefix(path, place) {
			t.Errorf("%s imports %s, which is for %s alone", path, imported, place)
		}
	}
	imported, ours := strings.CutPrefix(imported, "gavel/")
	if !ours {
		return
	}
	from, to := roomOf(filepath.ToSlash(filepath.Dir(path))), roomOf(imported)
	if from == "" || to == "" {
		t.Errorf("%s imports %s: one of them has no line in the plan", path, imported)
		return
	}
	used[from+" "+to] = true
	if from != to && !slices.Contains(strings.Fields(rooms[from]), to) {
		t.Errorf("%s imports %s: the plan does not let %s import from %s", path, imported, from, to)
	}
}

// roomOf returns the room with the longest name that a folder lies in, or "".
func roomOf(folder string) string {
	found := ""
	for room := range rooms {
		if (folder == room || strings.HasPrefix(folder, room+"/")) && len(room) > len(found) {
			found = room
		}
	}
	if found == "protocols" && folder != found {
		return anyProtocol
	}
	return found
}

// TestTopLevel: the project's files stand in the folders of the plan, and beside them only those named here.
func TestTopLevel(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files").Output()
	if err != nil || len(out) == 0 {
		t.Skip("this is no clone: ", err)
	}
	plan := strings.Fields("backends cache cmd datasets docs internal judging protocols scoring scripts " +
		"CHANGELOG.md LICENSE NOTICE README.md go.mod go.sum")
	for file := range strings.FieldsSeq(string(out)) {
		if name, _, _ := strings.Cut(file, "/"); !strings.HasPrefix(name, ".") && !slices.Contains(plan, name) {
			t.Errorf("%s has no place in the plan", file)
		}
	}
}
