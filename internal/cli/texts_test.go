package cli

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"gavel/internal/eval"
	"gavel/scoring"
)

// TestCommandTexts: commands.yaml has no key that nothing reads, no text of a command that is not there, and no group
// that no command has.
func TestCommandTexts(t *testing.T) {
	texts, err := readCommandTexts()
	if err != nil {
		t.Fatal(err)
	}
	type flag struct {
		Name, Kind, Usage, Category string
		Value                       any
		Hidden                      bool
	}
	var strict map[string]struct {
		Usage, UsageText, Arguments string
		Flags                       []flag
		With                        []string
	}
	d := yaml.NewDecoder(bytes.NewReader(commandFile))
	d.KnownFields(true)
	if err := d.Decode(&strict); err != nil {
		t.Fatal(err)
	}
	app := newApp(&env{now: time.Now, http: &http.Client{}, interrupts: &eval.Interrupts{}})
	used := map[string]bool{}
	var walk func(before string, all []*cli.Command)
	walk = func(before string, all []*cli.Command) {
		for _, c := range all {
			name := before + " " + c.Name
			if _, ok := texts[name]; !ok {
				name = before + " *"
			}
			used[name] = true
			for _, group := range texts[name].With {
				if _, ok := texts[group]; !ok {
					t.Errorf("%s: there is no group %s", name, group)
				}
				used[group] = true
			}
			if c.Usage == "" && !c.Hidden && before != "gavel docs" {
				t.Errorf("%s has no usage", name)
			}
			walk(before+" "+c.Name, c.Subcommands)
		}
	}
	walk("gavel", app.Commands)
	for name, text := range strict {
		if !used[name] {
			t.Errorf("%s: nothing has this text", name)
		}
		for _, f := range text.Flags {
			if f.Name == "" || (f.Usage == "") != f.Hidden {
				t.Errorf("%s: flag %+v", name, f)
			}
		}
	}
}

// TestDefaultsOfScoring: without flags, replies are read and scored by the defaults of the scorer.
func TestDefaultsOfScoring(t *testing.T) {
	texts, err := readCommandTexts()
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string) (o scoring.Options) {
		app := &cli.App{Flags: texts.flags(texts[name]), Action: func(c *cli.Context) (err error) {
			o, err = scoringFrom(c)
			return err
		}}
		if err := app.Run([]string{"gavel"}); err != nil {
			t.Fatal(err)
		}
		return o
	}
	allRounds(t)
	for _, name := range []string{"gavel score", "gavel compare", "gavel jury", "gavel labels agree"} {
		got, want := set(name), scoring.DefaultOptions
		got.Reading.LabelPolicy = want.Reading.LabelPolicy // "" is the first one
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct{ wanted, args, want string }{
		{"", "a b", ""},
		{"none", "", ""},
		{"none", "a", `unexpected argument "a". See: gavel --help`},
		{"RUN", "a", ""},
		{"RUN", "", "RUN is missing. See: gavel --help"},
		{"RUN", "a b", "expected one RUN, not 2. See: gavel --help"},
		{"RUN...", "a b", ""},
		{"RUN...", "", "RUN is missing. See: gavel --help"},
		{"[DIR]", "", ""},
		{"[DIR]", "a", ""},
		{"[DIR]", "a b", "expected one DIR, not 2. See: gavel --help"},
	} {
		app := &cli.App{Name: "gavel", ExitErrHandler: func(*cli.Context, error) {}}
		app.Action = func(x *cli.Context) error {
			got := ""
			if err := checkArguments(x, c.wanted); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s with %q: %q, want %q", c.wanted, c.args, got, c.want)
			}
			return nil
		}
		if err := app.Run(append([]string{"gavel"}, strings.Fields(c.args)...)); err != nil {
			t.Error(err)
		}
	}
}
