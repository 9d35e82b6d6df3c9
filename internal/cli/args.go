package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
)

// moveFlagsFirst moves flags before arguments, so that both orders work: urfave/cli v2 stops reading flags at the first
// argument and would take what follows for arguments. After "--" everything is an argument. For "--help all" it selects
// the help that lists every flag.
func moveFlagsFirst(app *cli.App, args []string) ([]string, error) {
	for len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	args = replaceOldCommand(args)
	command, rest := findSubcommand(app, args)
	flags, commands := command.Flags, command.Subcommands
	path := slices.Clip(args[:len(args)-len(rest)])
	words := slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return a == "--help" || a == "-h" })
	if len(words) < len(rest) && slices.Contains(words, "all") {
		command.CustomHelpTemplate = wholeHelpMarker
		if len(path) == 0 {
			app.CustomAppHelpTemplate = wholeHelpMarker
		}
		return append(path, "--help"), nil
	}
	if len(rest) > 0 && len(commands) > 0 {
		if !strings.HasPrefix(rest[0], "-") {
			return nil, unknownCommandError(path, rest[0], commands)
		}
		has := func(c *cli.Command) bool { return isFlag(c.Flags, rest[0]) }
		if !isFlag(flags, rest[0]) && slices.ContainsFunc(commands, has) {
			kind, names := subcommandNoun(path, commands)
			return nil, usageError("the %s is missing: write it before %s. There are: %s",
				kind, rest[0], strings.Join(names, ", "))
		}
	}
	var front, back []string
	for i := len(path); i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			back = append(back, args[i+1:]...)
			i = len(args)
		case len(a) > 1 && strings.HasPrefix(a, "-") && !negative.MatchString(a):
			front = append(front, a)
			name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
			f := flagNamed(flags, name)
			if _, isBool := f.(*cli.BoolFlag); f != nil && !isBool && !hasValue {
				if i+1 >= len(args) || isFlag(flags, args[i+1]) {
					return nil, usageError("flag --%s needs a value", name)
				}
				i++
				front = append(front, args[i])
			}
		default:
			back = append(back, a)
		}
	}
	// An argument that looks like a flag can only have come after "--".
	if len(back) > 0 {
		front = append(front, "--")
	}
	return append(append(path, front...), back...), nil
}

// findSubcommand follows the subcommands that a command line begins with, and returns the last and the words after it.
func findSubcommand(app *cli.App, args []string) (*cli.Command, []string) {
	last := &cli.Command{Flags: app.Flags, Subcommands: app.Commands}
	for len(args) > 0 {
		i := slices.IndexFunc(last.Subcommands, func(c *cli.Command) bool { return c.HasName(args[0]) })
		if i < 0 {
			break
		}
		last = last.Subcommands[i]
		args = args[1:]
	}
	return last, args
}

// isFlag reports whether word is one of the flags, such as --model=x; if so, it is not the value of the flag before it.
func isFlag(flags []cli.Flag, word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "--") && flagNamed(flags, name) != nil
}

// negative matches a word that begins like a negative number, and so is no flag.
var negative = regexp.MustCompile(`^-\d`)

// flagNamed returns the flag of a name without dashes, or nil.
func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// removedFlags maps flags of earlier versions that were removed to advice for the error.
var removedFlags = map[string]string{
	"best":       "make the juries that you mean one by one, and compare them on items that you did not choose them on",
	"canaries":   "it passed servers that mix conversations up from their start",
	"by":         "leave it out: gavel labels label draws at random; agree still reads labels drawn by disagreement",
	"contested":  "correct the label in the dataset, and score runs on that",
	"human":      "give the file of people's votes to gavel labels agree with --labels",
	"probe":      "make a short run of the judge (gavel run --limit 8): plans take its speed",
	"site":       "write one page with gavel report --out FILE.html, or look at the runs with gavel serve",
	"site-items": "it belonged to --site, which was taken away too",
}

// Errors of the flag library that onUsageError rewrites: of an unknown flag, and of a value that a flag cannot have.
var undefinedFlag = regexp.MustCompile(`flag provided but not defined: -+(\S+)`)
var invalidValue = regexp.MustCompile(`invalid (?:boolean )?value "(.*)" for (?:flag )?-(\S+): `)

// onUsageError rewrites an error of the flag library as one line that names the flag and says what to try.
func onUsageError(c *cli.Context, err error, _ bool) error {
	if m := undefinedFlag.FindStringSubmatch(err.Error()); m != nil {
		var names []string
		for _, f := range c.Command.VisibleFlags() {
			names = append(names, f.Names()...)
		}
		if instead, gone := removedFlags[m[1]]; gone {
			return usageError("--%s was taken away: %s", m[1], instead)
		}
		hint := "."
		if best := datasets.Nearest(m[1], names); best != "" {
			hint = fmt.Sprintf(", did you mean --%s?", best)
		}
		return usageError("unknown flag --%s%s See: %s --help", m[1], hint, commandLine(c))
	}
	if m := invalidValue.FindStringSubmatch(err.Error()); m != nil {
		return usageError("--%s %q: expected a number, a duration such as 90s, or true or false. See: %s --help",
			m[2], m[1], commandLine(c))
	}
	return usageError("%v. See: %s --help", err, commandLine(c))
}

// commandLine returns the command with the words before it, such as "gavel suite run", for messages.
func commandLine(c *cli.Context) string { return cmp.Or(c.Command.HelpName, c.App.Name) }

// parentAction is the action of a command that has subcommands, typed without one: it prints the help, or
// returns an error for arguments.
func parentAction(c *cli.Context) error {
	if err := checkArguments(c, "none"); err != nil { // after "--", which ends the flags
		return err
	}
	if c.Command.Name == c.App.Name {
		return cli.ShowAppHelp(c)
	}
	return cli.ShowSubcommandHelp(c)
}

// commandSynonyms maps commands to words that people may type in their place, for suggestions.
var commandSynonyms = map[string]string{
	"runs":     "list results show status",
	"run":      "eval evaluate judge test bench benchmark",
	"serve":    "leaderboard board view open browse ui web gui dashboard server",
	"score":    "rank ranking metrics stats",
	"compare":  "diff",
	"datasets": "data",
	"doctor":   "judges",
}

// unknownCommandError returns the error for typed, a word that is none of the subcommands in commands;
// before has the words before it.
func unknownCommandError(before []string, typed string, commands []*cli.Command) error {
	kind, names := subcommandNoun(before, commands)
	suggestion := cmp.Or(datasets.DidYouMean(typed, names), ".")
	if len(before) == 0 {
		nearest := datasets.Nearest(typed, slices.Concat(names, slices.Sorted(maps.Keys(oldNames))))
		if now := oldNames[nearest]; now != "" {
			suggestion = ", did you mean " + now + "?"
		}
		for command, words := range commandSynonyms {
			if slices.Contains(strings.Fields(words), typed) {
				suggestion = ", did you mean " + command + "?"
			}
		}
		return usageError("unknown %s %q%s See: gavel --help", kind, typed, suggestion)
	}
	return usageError("unknown %s %q%s There are: %s", kind, typed, suggestion, strings.Join(names, ", "))
}

// subcommandNoun returns how errors call the subcommands after the words before ("command", or "protocol"
// after run), and their names.
func subcommandNoun(before []string, commands []*cli.Command) (kind string, names []string) {
	kind = "command"
	if slices.Equal(before, []string{"run"}) {
		kind = "protocol"
	}
	for _, c := range visibleCommands(commands) {
		names = append(names, c.Name)
	}
	return kind, names
}
