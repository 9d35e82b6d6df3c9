package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/internal/eval"
	"gavel/judging"
)

// stringFlag returns a flag with a text as value; usage is its help.
func stringFlag(name, usage string) *cli.StringFlag { return &cli.StringFlag{Name: name, Usage: usage} }

// flagsOf returns flags for the fields of a request. Their values are texts, which [eval.ParseRequest] parses.
func flagsOf(fields []eval.Field) (flags []cli.Flag) {
	for _, f := range fields {
		switch f.Kind {
		case eval.FieldKindSwitch:
			flags = append(flags, &cli.BoolFlag{Name: f.Name, Usage: f.Help, Category: f.Part})
		case eval.FieldKindList:
			flags = append(flags, &cli.StringSliceFlag{Name: f.Name, Usage: f.Help, Category: f.Part})
		default:
			flag := &cli.StringFlag{Name: f.Name, Value: f.Default, Usage: f.Help, Category: f.Part}
			if f.Kind != eval.FieldKindText {
				flag.DefaultText = f.Default
			}
			flags = append(flags, flag)
		}
	}
	return flags
}

// protocolFields returns the fields of a protocol's requests but those with the names in without, separated by spaces.
// Help lists the most used alone.
func protocolFields(k judging.Protocol, without string) (fields []eval.Field) {
	for _, f := range eval.ProtocolFields(k) {
		if !slices.Contains(mostUsedFlags, f.Name) {
			f.Part = runOnlyPart
		}
		if !slices.Contains(strings.Fields(without), f.Name) {
			fields = append(fields, f)
		}
	}
	return fields
}

// runOnlyPart is the part of fields that help lists with the command gavel run alone.
const runOnlyPart = "run"

// flagValues returns the values of the fields that the command line sets, by field name.
func flagValues(c *cli.Context, fields []eval.Field) map[string][]string {
	values := map[string][]string{}
	for _, f := range fields {
		switch {
		case !c.IsSet(f.Name):
		case f.Kind == eval.FieldKindList:
			values[f.Name] = c.StringSlice(f.Name)
		default:
			values[f.Name] = []string{fmt.Sprint(c.Value(f.Name))}
		}
	}
	return values
}

// checkOneOf returns an error that names flag and the allowed values, unless value is one of them.
func checkOneOf[T ~string](flag, value string, allowed []T) error {
	var names []string
	for _, a := range allowed {
		names = append(names, string(a))
		if string(a) == value {
			return nil
		}
	}
	return usageError("%s %q is not one of %s", flag, value, strings.Join(names, ", "))
}

// endpointFrom reads the flags that name a server, for commands that ask exactly one.
func endpointFrom(c *cli.Context) (eval.Endpoint, error) {
	o := eval.Endpoint{
		Backend:   c.String("backend"),
		BaseURLs:  c.StringSlice("base-url"),
		APIKeyEnv: c.String("api-key-env"),
	}
	if err := o.Validate(); err != nil {
		return o, err
	}
	if n := len(o.BaseURLs); n > 1 {
		return o, usageError("--base-url is given %d times: %s asks one server, so give it once", n, commandLine(c))
	}
	return o, nil
}
