// Package golden records what users of gavel see: run ids, cache keys, requests, records, results, tables, the JSON
// API, exit statuses and messages. It runs gavel as a process, by its command line and over HTTP alone, and uses none
// of its code except main, so that everything behind it may be restructured. One process runs the commands of a test
// one after the other, since starting a process takes longer than most commands; with -gavel each has its own.
//
//	go test ./scripts/golden                       compares with testdata
//	go test ./scripts/golden -run Serve -update    writes the output; git diff then shows what has changed for users
//
// Values that differ from run to run are replaced first: times, ports, temporary folders, the version (see
// world.plain). Texts of up to mostInline bytes are in testdata/NAME.txt. Of longer texts it has the SHA-256, and
// testdata/long.tar.zst has the text, so that a failing test can show the difference.
//
// testdata/made-by-38db738.tar.zst holds folders that gavel wrote at that commit: runs, unfinished ones among them, a
// suite, a cache and a bundle. Do not write it again with a later gavel: it tests that today's gavel reads them.
package golden

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/golden"

	"gavel/internal/cli"
	"gavel/internal/cli/clitest"
	"gavel/internal/trials"
)

// tested; -update, of package golden, writes testdata/*.txt and testdata/long.tar.zst again.
var tested = flag.String("gavel", "", "the `binary` to test; default: this one")

const (
	longTexts  = "testdata/long.tar.zst"
	mostInline = 1500
)

var (
	gavelBinary string // that is tested
	version     string // that it says it is of
	long        = &store{texts: map[string]string{}}
)

func TestMain(m *testing.M) {
	if clitest.IsGavel() && len(os.Args) == 1 && os.Getenv(oneByOne) != "" {
		takeCommands()
		return
	}
	if clitest.IsGavel() {
		os.Exit(cli.Main(os.Args[1:]))
	}
	flag.Parse()
	os.Exit(func() int {
		os.Setenv("GOGC", "400") // of gavel's processes, as in the tests of the commands
		trials.UseMemoryFiles()
		dir, err := os.MkdirTemp("", "gavel-golden-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if err := errors.Join(build(dir), askVersion(), long.read()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := m.Run()
		if golden.FlagUpdate() {
			if err := long.write(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		return code
	}())
}

// build returns the binary to test: the requested one, or this one.
func build(dir string) error {
	var err error
	if *tested != "" {
		gavelBinary, err = filepath.Abs(*tested)
	} else {
		gavelBinary, err = clitest.LinkGavel(dir)
	}
	return err
}

func askVersion() error {
	out, err := exec.Command(gavelBinary, "--version").Output()
	_, output, ok := strings.Cut(strings.TrimSpace(string(out)), " version ")
	if err != nil || !ok {
		return fmt.Errorf("gavel --version says %q: %v", out, err)
	}
	version = output
	return nil
}

// store holds long texts by their SHA-256.
type store struct {
	mu    sync.Mutex
	texts map[string]string
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (s *store) put(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := hashOf(text)
	s.texts[h] = text
	return h
}

func (s *store) get(hash string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.texts[hash]
	return text, ok
}

func (s *store) read() error {
	packed, err := os.ReadFile(longTexts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return eachFile(packed, func(name, text string) error {
		s.texts[name] = text
		return nil
	})
}

var mention = regexp.MustCompile(`sha256 ([0-9a-f]{64})`)

// write stores the texts that testdata/*.txt refer to.
func (s *store) write() error {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		return err
	}
	var hashes []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		for _, m := range mention.FindAllSubmatch(text, -1) {
			hashes = append(hashes, string(m[1]))
		}
	}
	slices.Sort(hashes)
	var plain bytes.Buffer
	z := tar.NewWriter(&plain)
	for _, h := range slices.Compact(hashes) {
		text, ok := s.texts[h]
		if !ok {
			continue // a digest in a table, no text of ours
		}
		if err := z.WriteHeader(&tar.Header{Name: h, Mode: 0o644, Size: int64(len(text))}); err != nil {
			return err
		}
		if _, err := io.WriteString(z, text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithWindowSize(zstd.MaxWindowSize/64), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return os.WriteFile(longTexts, enc.EncodeAll(plain.Bytes(), nil), 0o644)
}

// eachFile reads a tar archive compressed with zstd.
func eachFile(packed []byte, do func(name, text string) error) error {
	dec, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	defer dec.Close()
	r := tar.NewReader(dec)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := do(h.Name, string(text)); err != nil {
			return err
		}
	}
}

// book collects the sections of one golden file.
type book struct {
	t        *testing.T
	name     string
	sections []section
}

type section struct{ title, body string }

// open starts testdata/NAME.txt, which is compared when the test ends.
func open(t *testing.T, name string) *book {
	b := &book{t: t, name: name}
	t.Cleanup(func() {
		if !t.Skipped() {
			b.compare()
		}
	})
	return b
}

// add adds a section. A text of several lines ends with a newline, or a note says that it does not.
func (b *book) add(title, body string) {
	b.t.Helper()
	if slices.ContainsFunc(b.sections, func(s section) bool { return s.title == title }) {
		b.t.Fatalf("%s: two sections are called %q", b.name, title)
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n(no newline)\n"
	}
	if len(body) > mostInline {
		body = fmt.Sprintf("sha256 %s, %d bytes, %d lines\n", long.put(body), len(body), strings.Count(body, "\n"))
	}
	b.sections = append(b.sections, section{title, body})
}

const mark = "\n=== "

func (b *book) text() string {
	var out strings.Builder
	out.WriteString("# Written by go test ./scripts/golden -update.\n")
	for _, s := range b.sections {
		fmt.Fprintf(&out, "%s%s ===\n%s", mark, s.title, s.body)
	}
	return out.String()
}

func sectionsOf(text string) (titles []string, bodies map[string]string) {
	bodies = map[string]string{}
	for _, part := range strings.Split(text, mark)[1:] {
		title, body, _ := strings.Cut(part, " ===\n")
		titles, bodies[title] = append(titles, title), body
	}
	return titles, bodies
}

func (b *book) compare() {
	b.t.Helper()
	path := filepath.Join("testdata", b.name+".txt")
	got := b.text()
	if golden.FlagUpdate() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			b.t.Error(err)
		}
		return
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		b.t.Error(err)
		return
	}
	want := strings.ReplaceAll(string(stored), "\r\n", "\n")
	if got == want {
		return
	}
	// What was compared is not all there, where the test failed before its end.
	titles, wantBodies := sectionsOf(want)
	_, have := sectionsOf(got)
	differences := 0
	for _, title := range slices.Compact(append(titles, func() (all []string) {
		for _, s := range b.sections {
			if _, ok := wantBodies[s.title]; !ok {
				all = append(all, s.title)
			}
		}
		return all
	}()...)) {
		w, inWant := wantBodies[title]
		g, inHave := have[title]
		if inWant && inHave && trimmed(w) == trimmed(g) {
			continue
		}
		if differences++; differences > 12 {
			b.t.Errorf("%s: and more", path)
			break
		}
		switch {
		case !inHave:
			b.t.Errorf("%s: section %q is gone", path, title)
		case !inWant:
			b.t.Errorf("%s: section %q is new:\n%s", path, title, clip(full(g), 600))
		default:
			b.t.Errorf("%s: section %q differs (- stored, + now):\n%s", path, title, differing(full(w), full(g)))
		}
	}
	if differences == 0 {
		b.t.Errorf("%s: the sections stand in another order", path)
	}
}

func trimmed(body string) string { return strings.TrimRight(body, "\n") }

// full returns the text that a section stands for.
func full(body string) string {
	if m := mention.FindStringSubmatch(body); m != nil && strings.HasPrefix(body, m[0]) {
		if text, ok := long.get(m[1]); ok {
			return text
		}
	}
	return body
}

func clip(text string, limit int) string {
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + " …"
	}
	return text
}

// differing shows the lines between the common beginning and the common end.
func differing(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	from := 0
	for from < len(w) && from < len(g) && w[from] == g[from] {
		from++
	}
	toW, toG := len(w), len(g)
	for toW > from && toG > from && w[toW-1] == g[toG-1] {
		toW, toG = toW-1, toG-1
	}
	var out strings.Builder
	fmt.Fprintf(&out, "from line %d:\n", from+1)
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", w[from:toW]}, {"+", g[from:toG]}} {
		for i, line := range side.lines {
			if i == 12 {
				fmt.Fprintf(&out, "%s … %d more lines\n", side.sign, len(side.lines)-i)
				break
			}
			fmt.Fprintf(&out, "%s %s\n", side.sign, clip(line, 700))
		}
	}
	return out.String()
}

// TestLongTexts: long.tar.zst has exactly the long texts that golden files name, unchanged. Merging two versions of it
// loses the texts of one.
func TestLongTexts(t *testing.T) {
	if golden.FlagUpdate() {
		t.Skip("it is written anew")
	}
	stored := &store{texts: map[string]string{}}
	files, err := filepath.Glob("testdata/*.txt")
	if err := errors.Join(err, stored.read()); err != nil {
		t.Fatal(err)
	}
	hashes := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, bodies := sectionsOf(strings.ReplaceAll(string(text), "\r\n", "\n"))
		for title, body := range bodies {
			m := mention.FindStringSubmatch(body)
			if m == nil || !strings.HasPrefix(body, m[0]) {
				continue
			}
			hashes[m[1]] = true
			if _, ok := stored.get(m[1]); !ok {
				t.Errorf("%s: the text of section %q is not in %s: run go test ./scripts/golden -update", file, title, longTexts)
			}
		}
	}
	if len(hashes) == 0 {
		t.Error("no golden file names a long text")
	}
	for hash, text := range stored.texts {
		if hashOf(text) != hash || !hashes[hash] {
			t.Errorf("%s: %s is no text that a golden file names", longTexts, hash)
		}
	}
}
