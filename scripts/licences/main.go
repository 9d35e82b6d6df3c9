// licences prints the licences of the modules that the binaries of a release hold, and Go's own: what the packages have
// to hand on. It reads them where the go command keeps modules, so there is no list to forget one in.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// systems are those that a release is built for (.goreleaser.yaml).
var systems = []string{"linux", "darwin", "windows"}

// ofLicence matches the names of files, or of folders of files, with a licence's text or what it asks to be handed on.
var ofLicence = regexp.MustCompile(
	`(?i)^(.*-license|licen[cs]es?|copying|copyright|notice|patents|third_party_licenses)([-.]|$)`)

// module is a module that is linked, and where it lies.
type module struct{ name, dir string }

func write(w io.Writer) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	for _, m := range modules {
		texts, err := licences(m.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		_, err = fmt.Fprintf(w, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 78), m.name, strings.Join(texts, "\n\n"))
		if err != nil {
			return err
		}
	}
	return nil
}

// linked lists the modules of the binaries, each once, Go first.
func linked() ([]module, error) {
	var lines []string
	for _, system := range systems {
		const each = "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}"
		list := exec.Command("go", "list", "-deps", "-f", each, "gavel/internal/cli")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("%v: %w", list, err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(out)), "\n")...)
	}
	slices.Sort(lines)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	modules := []module{{name: "Go", dir: strings.TrimSpace(string(root))}}
	for _, line := range slices.Compact(lines) {
		name, dir, found := strings.Cut(line, "\t")
		if found && !strings.HasPrefix(name, "gavel ") {
			modules = append(modules, module{name: name, dir: dir})
		}
	}
	return modules, nil
}

// licences are the texts of a folder's licences.
func licences(dir string) (texts []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !ofLicence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go"):
		case e.IsDir():
			more, err := licences(path)
			if err != nil {
				return nil, err
			}
			texts = append(texts, more...)
		default:
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("no licence found: its files have other names than expected")
	}
	return texts, nil
}
