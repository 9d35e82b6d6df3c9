package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// TestHelp: every command has a page, which fits terminals; "gavel help COMMAND" prints the same; no text is of a
// command that there is not.
func TestHelp(t *testing.T) {
	home(t)
	all := pages(newApp(newEnv(nil, os.Stdout, os.Stderr)))
	texts := map[string]bool{}
	for _, page := range all {
		texts[strings.ReplaceAll(page.Name, " ", "-")+".txt"] = true
		asIs := map[string]bool{}
		for line := range strings.SplitSeq(page.Description, "\n") {
			asIs["   "+line] = strings.HasPrefix(line, " ") || strings.Contains(line, "   ")
		}
		for _, width := range []int{60, 80, 100, 140} {
			for line := range strings.SplitSeq(page.Help(width), "\n") {
				if n := utf8.RuneCountInString(line); n > width && !asIs[line] && len(strings.Fields(line)) > 1 {
					t.Errorf("%s at %d columns: %d in %q", page.Name, width, n, line)
				}
			}
		}
		args := strings.Fields(page.Name)[1:]
		if len(args) == 0 {
			continue
		}
		out := mustCall(t, append(args, "--help")...)
		if !strings.Contains(out, "USAGE:") || out != mustCall(t, append([]string{"help"}, args...)...) {
			t.Errorf("%s --help, and gavel help for it:\n%s", page.Name, out)
		}
	}
	files, err := helpTexts.ReadDir("help")
	if err != nil || len(files) < 30 || len(all) < 40 {
		t.Fatal(len(files), err, len(all))
	}
	for _, f := range files {
		if !texts[f.Name()] || len(helpText(strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".txt"), "-", " "))) < 20 {
			t.Errorf("help/%s is no command's, or says nothing", f.Name())
		}
	}
}

// TestFirstPage: the help of a command has 40 lines at most; --help all has every flag, and the page of all commands
// tells no flag of every protocol twice.
func TestFirstPage(t *testing.T) {
	home(t)
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	for _, page := range pages(app) {
		args := strings.Fields(page.Name)[1:]
		if len(args) == 0 {
			continue
		}
		command, _ := findSubcommand(app, args)
		for _, columns := range []string{"80", "100"} {
			t.Setenv("COLUMNS", columns)
			first := mustCall(t, append(args, "--help")...)
			all := mustCall(t, append(args, "--help", "all")...)
			if lines := strings.Count(first, "\n"); lines > maxHelpLines {
				t.Errorf("%s --help: %d lines at %s columns", page.Name, lines, columns)
			}
			if strings.Count(first, "(") != strings.Count(first, ")") {
				t.Errorf("%s --help cuts a text in brackets:\n%s", page.Name, first)
			}
			if first != all && strings.Count(first, "\n     gavel ") > 3 {
				t.Errorf("%s --help has more than three examples:\n%s", page.Name, first)
			}
			if first != all && !strings.HasSuffix(first, "\n"+page.Name+" --help all\n") &&
				!strings.HasSuffix(first, ": "+page.Name+" --help all\n") {
				t.Errorf("%s --help does not say where the rest is:\n%s", page.Name, first)
			}
			if all != mustCall(t, append(append([]string{"help"}, args...), "all")...) {
				t.Errorf("gavel help for all of %s prints something else", page.Name)
			}
			for _, f := range command.VisibleFlags() {
				category, ok := f.(cli.CategorizableFlag)
				if ok && category.GetCategory() == runOnlyPart && strings.Contains(all, "gavel run pairwise --help all") {
					continue
				}
				if !strings.Contains(all, "   --"+f.Names()[0]+" ") && !strings.Contains(all, "   --"+f.Names()[0]+",") {
					t.Errorf("%s --help all lacks --%s", page.Name, f.Names()[0])
				}
			}
		}
	}
	if uses := strings.Count(mustCall(t, "docs", "markdown"), "\n   --"); uses > 330 {
		t.Errorf("docs/cli.md has %d lines of flags", uses)
	}
}

// TestFlagsOfRun: commands with the flags of gavel run list the most used of them, and say where the others are.
func TestFlagsOfRun(t *testing.T) {
	home(t)
	for _, command := range [][]string{{"tune"}, {"study", "grp"}} {
		all := mustCall(t, append(command, "--help", "all")...)
		if n := strings.Count(all, "\n   --"); n < 12 || n > 18 || strings.Contains(all, "--retry-for") {
			t.Errorf("%s lists %d flags:\n%s", command, n, all)
		}
		if !strings.Contains(strings.Join(strings.Fields(all), " "), `work too: see "gavel run pairwise --help all"`) {
			t.Errorf("%s does not say where the other flags are", command)
		}
		if flags := mustCall(t, append(command, "-", "--generate-bash-completion")...); !strings.Contains(flags, "--retry-for\n") {
			t.Errorf("%s has no completion of other flags: %s", command, flags)
		}
	}
}

// TestExamples: commands in help texts and in the docs have flags that there are and that help lists.
func TestExamples(t *testing.T) {
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	texts := map[string]string{}
	for _, page := range pages(app) {
		texts[page.Name] = page.Description
	}
	docs, err := filepath.Glob(filepath.Join(sourceDir, "../../docs/[^c]*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(docs, filepath.Join(sourceDir, "../../README.md")) {
		texts[filepath.Base(path)] = read(t, path)
	}
	example := regexp.MustCompile(`(?m)^ {2,}(?:\./)?gavel ([^|>#\n]*)`)
	flag := regexp.MustCompile(`(?:^|[ \[])--([a-z-]+)`)
	n := 0
	for name, text := range texts {
		for _, line := range example.FindAllStringSubmatch(text, -1) {
			command, _ := findSubcommand(app, strings.Fields(strings.Replace(line[1], "PROTOCOL", "pairwise", 1)))
			if command.Name == "" {
				continue // no command of gavel's
			}
			for _, f := range flag.FindAllStringSubmatch(line[1], -1) {
				n++
				if flagNamed(command.VisibleFlags(), f[1]) == nil {
					t.Errorf("%s: gavel %s: there is no flag --%s", name, line[1], f[1])
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d flags in examples", n)
	}
}

// TestFirstScreen: gavel, alone and with --help, lists what most people need in the lines of one screen; "help all" has
// every command.
func TestFirstScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	first := mustCall(t, "--help")
	if first != mustCall(t) || first != mustCall(t, "help") {
		t.Error("gavel, gavel help and gavel --help differ")
	}
	if lines := strings.Count(first, "\n"); lines > 24 {
		t.Errorf("the first screen has %d lines", lines)
	}
	all := mustCall(t, "help", "all")
	screen := 0
	for _, c := range visibleCommands(newApp(newEnv(nil, os.Stdout, os.Stderr)).Commands) {
		line := regexp.MustCompile(`(?m)^.{16}` + c.Name + " ")
		onScreen := c.Category != moreCommandsHeading
		if line.MatchString(first) != onScreen {
			t.Errorf("%s of %q on the first screen: %t", c.Name, c.Category, !onScreen)
		}
		if onScreen {
			screen++
		}
		if !strings.Contains(all, "\n   "+c.Name+" ") {
			t.Errorf("help all lacks %s", c.Name)
		}
	}
	if screen < 14 || screen > 18 {
		t.Errorf("%d commands on the first screen", screen)
	}
}

// TestOldNames: a command of an earlier version still works, as the command it has become; no list has its old name.
func TestOldNames(t *testing.T) {
	all := "\n" + mustCall(t, "help", "all")
	for old, now := range oldNames {
		words := strings.Fields(old)
		page := mustCall(t, append(words, "--help")...)
		command, _, _ := strings.Cut(now, " --")
		if page != mustCall(t, append(strings.Fields(command), "--help")...) || page != mustCall(t, append([]string{"help"}, words...)...) {
			t.Errorf("gavel %s is not gavel %s:\n%s", old, now, page)
		}
		if strings.Contains(all, "\n   "+old+" ") {
			t.Errorf("help all lists %s", old)
		}
	}
}

// TestTypedOldName: a misspelt command of an earlier version is corrected to its name of today.
func TestTypedOldName(t *testing.T) {
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	for typed, want := range map[string]string{
		"agre": "labels agree", "modls": "doctor --list", "bundel": "carry bundle", "datsets": "datasets",
	} {
		_, err := moveFlagsFirst(app, []string{typed})
		if err == nil || !strings.Contains(err.Error(), ", did you mean "+want+"?") {
			t.Errorf("%s: %v", typed, err)
		}
	}
}

// TestFamilies: each command of a family also goes by its short name, with the same flags; each page has examples that
// can be typed as they stand there.
func TestFamilies(t *testing.T) {
	app := newApp(newEnv(nil, os.Stdout, os.Stderr))
	app.Setup()
	members := 0
	for _, family := range app.Commands {
		if family.Name != "labels" && family.Name != "carry" {
			continue
		}
		for _, member := range family.Subcommands {
			members++
			long := mustCall(t, family.Name, member.Name, "--help")
			short := mustCall(t, member.Name, "--help")
			if !strings.Contains(long, "gavel "+family.Name+" "+member.Name) || strings.Contains(long, "gavel "+member.Name+" ") {
				t.Errorf("the page of %s %s: %s", family.Name, member.Name, long)
			}
			words := func(page string) string {
				return strings.Join(strings.Fields(strings.ReplaceAll(page, "gavel "+family.Name+" ", "gavel ")), " ")
			}
			if words(long) != words(short) {
				t.Errorf("gavel %s says something else than gavel %s %s:\n%s", member.Name, family.Name, member.Name, short)
			}
		}
	}
	if members != 7 {
		t.Errorf("%d commands in families", members)
	}
}

// TestCommandsPage: docs/cli.md says what the commands say.
func TestCommandsPage(t *testing.T) {
	allRounds(t)
	if read(t, filepath.Join(sourceDir, "../../docs/cli.md")) != mustCall(t, "docs", "markdown") {
		t.Error("docs/cli.md is not what the commands say: run scripts/docs.sh")
	}
}
