package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"
)

//go:embed commands.yaml
var commandFile []byte

// commandText holds what commands.yaml says about a command, or a group of flags that several commands have.
type commandText struct {
	Usage     string
	UsageText string
	Arguments string // see [checkArguments]
	Flags     flagList
	With      []string // groups of flags
}

// commandTexts maps commands, such as "gavel suite run", to their texts, "gavel import *" to that of
// the others under gavel import, and the names of groups to their flags.
type commandTexts map[string]commandText

// readTexts reads commands.yaml; a test finds its errors.
func readTexts() (all commandTexts, err error) {
	err = yaml.Unmarshal(commandFile, &all)
	return all, err
}

// flags returns the flags of a text and of its groups.
func (all commandTexts) flags(text commandText) []cli.Flag {
	flags := slices.Clip([]cli.Flag(text.Flags))
	for _, group := range text.With {
		flags = append(flags, all[group].Flags...)
	}
	return flags
}

// flagList reads flags: mappings of the kind of the value, and of the fields of the flag library's flags.
type flagList []cli.Flag

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *flagList) UnmarshalYAML(list *yaml.Node) error {
	for _, n := range list.Content {
		var head struct{ Kind string }
		if err := n.Decode(&head); err != nil {
			return err
		}
		flag := newFlag(head.Kind)
		if flag == nil {
			return fmt.Errorf("line %d: unknown kind %q", n.Line, head.Kind)
		}
		if err := n.Decode(flag); err != nil {
			return err
		}
		*l = append(*l, flag)
	}
	return nil
}

// newFlag returns a flag for values of a kind.
func newFlag(kind string) cli.Flag {
	switch kind {
	case "":
		return &cli.StringFlag{}
	case "switch":
		return &cli.BoolFlag{}
	case "list":
		return &cli.StringSliceFlag{}
	case "number":
		return &cli.Float64Flag{}
	case "int":
		return &cli.IntFlag{}
	case "int64":
		return &cli.Int64Flag{}
	case "uint64":
		return &cli.Uint64Flag{}
	case "duration":
		return &cli.DurationFlag{}
	}
	return nil
}

// adopt gives every command the same manners, and its flags and texts.
func (all commandTexts) adopt(before string, commands []*cli.Command) {
	for _, c := range commands {
		name := before + " " + c.Name
		text, ok := all[name]
		if !ok {
			text = all[before+" *"]
		}
		c.Usage = cmp.Or(c.Usage, text.Usage)
		c.UsageText = cmp.Or(c.UsageText, text.UsageText)
		c.Description = cmp.Or(c.Description, helpText(name))
		c.Flags = append(c.Flags, all.flags(text)...)
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		check := c.Before
		c.Before = func(ctx *cli.Context) error {
			err := cmp.Or(takeFormat(ctx), takeScoring(ctx), checkArguments(ctx, text.Arguments))
			if err == nil && check != nil {
				err = check(ctx)
			}
			return err
		}
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = unknownCommand
			}
			all.adopt(name, c.Subcommands)
		}
	}
}

// checkArguments refuses other arguments than those wanted: none, NAME (one), NAME... (some) or [NAME] (one or none);
// "" allows all.
func checkArguments(c *cli.Context, wanted string) error {
	name, many := strings.CutSuffix(wanted, "...")
	optional := strings.Trim(name, "[]")
	switch n := c.NArg(); {
	case wanted == "":
		return nil
	case wanted == "none" && n > 0:
		return usage("unexpected argument %q. See: %s --help", c.Args().First(), commandLine(c))
	case n > 1 && !many:
		return usage("expected one %s, not %d. See: %s --help", optional, n, commandLine(c))
	case n == 0 && name == optional && wanted != "none":
		return usage("%s is missing. See: %s --help", name, commandLine(c))
	}
	return nil
}

// noArguments refuses arguments where a command takes none.
func noArguments(c *cli.Context) error { return checkArguments(c, "none") }
