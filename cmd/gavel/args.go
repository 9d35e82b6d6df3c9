package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// arrange moves flags before arguments, so that both orders work: urfave/cli v2 stops reading flags at the first
// argument and would take what follows for arguments. After "--" everything is an argument.
func arrange(app *cli.App, args []string) ([]string, error) {
	args = asFlags(args)
	flags, commands, i := app.Flags, app.Commands, 0
	for ; i < len(args); i++ {
		at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[i]) })
		if at < 0 {
			break
		}
		flags, commands = commands[at].Flags, commands[at].Subcommands
	}
	path := slices.Clip(args[:i])
	var front, back []string
	for ; i < len(args); i++ {
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
					return nil, usage("flag --%s needs a value", name)
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

// asFlags reads "help COMMAND" and "version" as what they stand for.
func asFlags(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "version":
		return []string{"--version"}
	}
	return args
}

// isFlag tells whether a word is one of the flags: "--dataset" is no value.
func isFlag(flags []cli.Flag, word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "--") && flagNamed(flags, name) != nil
}

var negative = regexp.MustCompile(`^-\d`)

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

var undefinedFlag = regexp.MustCompile(`flag provided but not defined: -+(\S+)`)
var invalidValue = regexp.MustCompile(`invalid (?:boolean )?value "(.*)" for (?:flag )?-(\S+): (.*)`)

// onUsageError makes one line of what the flag library found, with what to try.
func onUsageError(c *cli.Context, err error, _ bool) error {
	if m := undefinedFlag.FindStringSubmatch(err.Error()); m != nil {
		var flags []cli.Flag
		if c.Command != nil {
			flags = c.Command.Flags
		}
		hint := ""
		if s := cli.SuggestFlag(flags, m[1], true); s != "" && near(s, m[1]) {
			hint = fmt.Sprintf("; did you mean %s?", s)
		}
		return usage("unknown flag --%s%s See: %s --help", m[1], cmp.Or(hint, "."), commandLine(c))
	}
	if m := invalidValue.FindStringSubmatch(err.Error()); m != nil {
		return usage("--%s %q: %s. See: %s --help", m[2], m[1], kindOfValue(m[3]), commandLine(c))
	}
	return usage("%v. See: %s --help", err, commandLine(c))
}

func kindOfValue(parse string) string {
	switch {
	case strings.Contains(parse, "parse error"), strings.Contains(parse, "invalid syntax"):
		return "not a value of this flag (a number, a duration such as 90s, or true or false is expected)"
	case strings.Contains(parse, "out of range"):
		return "the number is out of range"
	}
	return parse
}

// near tells whether a suggestion is near enough to be worth making.
func near(suggestion, typed string) bool {
	s := strings.TrimLeft(suggestion, "-")
	return smetrics.WagnerFischer(s, typed, 1, 1, 1) <= max(1, len(typed)/2) || strings.HasPrefix(s, typed)
}

func commandLine(c *cli.Context) string {
	if c.Command == nil || c.Command.HelpName == "" {
		return "gavel"
	}
	return c.Command.HelpName
}

// unknownCommand is what a command with subcommands does by itself.
func unknownCommand(c *cli.Context) error {
	commands := c.App.Commands
	if c.Command != nil && len(c.Command.Subcommands) > 0 {
		commands = c.Command.Subcommands
	}
	if !c.Args().Present() {
		return cli.ShowSubcommandHelp(c)
	}
	typed := c.Args().First()
	var names []string
	best := ""
	for _, k := range commands {
		names = append(names, k.Name)
		if best == "" && near(k.Name, typed) {
			best = fmt.Sprintf("; did you mean %q?", k.Name)
		}
	}
	return usage("unknown command %q%s There are: %s", typed, cmp.Or(best, "."), strings.Join(names, ", "))
}

// noArguments refuses arguments where a command takes none.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usage("unexpected argument %q. See: %s --help", c.Args().First(), commandLine(c))
	}
	return nil
}

// oneArgument wants exactly one.
func oneArgument(what string) cli.BeforeFunc {
	return func(c *cli.Context) error {
		switch c.NArg() {
		case 0:
			return usage("%s is missing. See: %s --help", what, commandLine(c))
		case 1:
			return nil
		}
		return usage("one %s is expected, not %d. See: %s --help", what, c.NArg(), commandLine(c))
	}
}

// someArguments wants at least one.
func someArguments(what string) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if !c.Args().Present() {
			return usage("%s is missing. See: %s --help", what, commandLine(c))
		}
		return nil
	}
}
