package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file of one's own that was taken in under a name is found by it with its mapping, wherever one is, and known by its
// SHA-256.
func TestImportOwn(t *testing.T) {
	lib := Library{Dir: filepath.Join(t.TempDir(), "not there yet")}
	mapping := Mapping{Fields: []string{"question=prompt,response_a=out_1,response_b=out_2,label=winner"}, LabelValues: []string{"A>B=model_a,B>A=model_b,tie=tie"}}
	file := write(t, "mine.csv", ownCSV)
	k, before, _, err := lib.ImportUserDataset(file, "mine", mapping)
	if err != nil || before.Name != "" {
		t.Fatal(before, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s, err := lib.Open("mine")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Name != "mine" || s.Len() != 4 || s.Mapping.String() != mapping.String() || s.MappedFileSHA256 != HexSum([]byte(ownCSV)) || k.SHA256 != s.MappedFileSHA256 || k.Rows != 4 || k.Bytes != int64(len(ownCSV)) {
		t.Errorf("%+v is opened as %s, %d items, %s", k, s.Name, s.Len(), s.Mapping)
	}
	if all := lib.All(); len(all) != len(Registry())+1 || all[len(Registry())].Name != "mine" || !lib.Has(k) {
		t.Errorf("%d are listed", len(all))
	}
	other, err := lib.OpenWith("mine", mappedBy("question=prompt,label=nr"))
	if err != nil || item(t, other, 0).Shape != ShapeNumber || other.SHA256 == s.SHA256 {
		t.Errorf("another mapping is passed over: %v", err)
	}

	more := ownCSV + "11,Who?,x,y,model_b\n"
	second, before, _, err := lib.ImportUserDataset(write(t, "more.csv", more), "mine", mapping)
	if err != nil || before.SHA256 != k.SHA256 || second.Rows != 5 {
		t.Errorf("imported again over %+v: %+v, %v", before, second, err)
	}
	files, _ := filepath.Glob(filepath.Join(lib.Dir, userDatasetsFolder, "*"))
	if want := []string{lib.Path("mine"), lib.cardPath("mine")}; !slices.Equal(files, want) {
		t.Errorf("there are %q, want %q", files, want)
	}

	path := lib.Path("mine")
	if err := os.WriteFile(path, []byte(more+"\""), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = lib.Open("mine")
	oneLine(t, err, path, "FILE: it changed after the import: SHA-256 is "+HexSum([]byte(more+"\""))+", was "+second.SHA256+": import more.csv again, with --as mine")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = lib.Open("mine")
	oneLine(t, err, path, `the copy of more.csv imported as "mine" is missing: import it again with --as mine`)
	for _, card := range []string{"{", `{"name":"mine","file":"../../secret"}`, `{"name":"mine","file":"own/mine-/../../x"}`, `{"name":"yours","file":"own/mine-1"}`} {
		if err := os.WriteFile(lib.cardPath("mine"), []byte(card), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lib.Open("mine"); err == nil || !strings.HasSuffix(err.Error(), ": import the file again, with --as mine") {
			t.Errorf("%s: %v", card, err)
		}
	}
}

func TestImportOwnRefuses(t *testing.T) {
	lib := Library{Dir: t.TempDir()}
	for name, tc := range map[string]struct{ as, content, want string }{
		"a path":      {"../x", ownCSV, `--as "../x": use letters, digits, - and _, at most 51`},
		"a typo":      {"gsm9k", ownCSV, `--as "gsm9k": did you mean gsm8k? Otherwise choose a name that differs more`},
		"no name":     {"", ownCSV, `--as "": use letters, digits, - and _, at most 51`},
		"unreadable":  {"x", "a,b\nc,d\n", "FILE: columns found: [\"a\" \"b\"]; no known format has these: assign them, as in --field question=COLUMN,response_a=COLUMN,response_b=COLUMN,label=COLUMN or question=COLUMN,response=COLUMN,score=COLUMN"},
		"no file end": {"x", "a,b\nc,\"d\n", `FILE:2: broken quotes: the quoted cell that starts here, or one after it in the row, is not closed (noticed at line 2, byte 6); double the quotes inside a cell`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "x.csv", tc.content)
			_, _, _, err := lib.ImportUserDataset(path, tc.as, Mapping{})
			oneLine(t, err, path, tc.want)
			if files, _ := os.ReadDir(lib.Dir); len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}
