package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/judging"
)

// FieldKind is what the values of a field look like.
type FieldKind string

// Kinds of fields.
const (
	Text     FieldKind = "text"
	Number   FieldKind = "number"
	Switch   FieldKind = "switch"
	Duration FieldKind = "duration"
	List     FieldKind = "list" // texts; may be given more than once
)

// Parts of a request, as help and forms group the fields.
const (
	What   = "what"
	How    = "how"
	Where  = "where"
	Server = "server"
)

// Field is one thing that a request says: a flag of the command line, a key of a
// suite's file, a field of a form and of the API.
type Field struct {
	Name    string
	Label   string // on a form; by default its name in words
	Help    string // of the command line, the value's name in backquotes; short help ends at the first semicolon
	About   string // of a form, where it is another than Help
	Part    string
	Kind    FieldKind                // by default that of the value
	Default string                   // as people write it; by default what New has
	Zero    string                   // how the value's zero is written, where that is a word
	Values  []string                 // all that it may have, where they are a list
	Files   bool                     // it may name a file instead of one of Values
	Least   int                      // of a number
	Most    int                      // of a number; 0 is no bound
	Local   bool                     // a browser may not set it
	Served  bool                     // a simulated judge does not take it
	Absent  bool                     // the protocol does not have it
	Check   func(value string) error // beside these bounds

	value  any                   // a pointer to its value in a request
	usual  []string              // its values in a new request
	split  func(string) []string // splits an entry of a list into several; nil: keeps it
	option *judging.Option       // of the protocol
}

// complete fills in kind, default and label from the field's value, and from usual, its values in a new request.
func (f *Field) complete(usual []string) {
	f.usual = usual
	if f.Kind == "" {
		f.Kind = f.kind()
	}
	f.Default = cmp.Or(f.Default, strings.Join(usual, ","))
	words := strings.ReplaceAll(f.Name, "-", " ")
	f.Label = cmp.Or(f.Label, strings.ToUpper(words[:1])+words[1:])
}

func (f Field) kind() FieldKind {
	if f.Zero != "" {
		return Text
	}
	switch f.value.(type) {
	case *bool:
		return Switch
	case *time.Duration:
		return Duration
	case *[]string:
		return List
	case *int, *int64, **int:
		return Number
	}
	return Text
}

// FieldNamed finds a field of a protocol.
func FieldNamed(k judging.Protocol, name string) (Field, bool) {
	fields := FieldsOf(k)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// optionField returns an option of a protocol as a field bound to these settings.
func optionField(o *judging.Option, chosen *judging.Settings) Field {
	f := Field{
		Name:    o.Name,
		Label:   o.Label,
		Help:    o.Usage,
		Part:    What,
		Default: o.Default,
		Values:  o.Values,
		value:   chosen,
		option:  o,
	}
	if o.Default == "false" {
		f.Kind = Switch
		f.Values = nil
	}
	if o.Check != nil {
		f.Check = func(value string) error {
			if err := o.Check(value); err != nil {
				return fmt.Errorf("%s: %w", value, err)
			}
			return nil
		}
	}
	return f
}

// read parses values as people write them, and stores them in the request.
func (f Field) read(values []string) error {
	text := values[len(values)-1]
	if f.Zero != "" && text == f.Zero {
		text = ""
	} else if err := f.check(text); err != nil {
		return err
	}
	n, _ := strconv.ParseInt(text, 0, 64) // 0 where it is no number; check has refused others
	switch value := f.value.(type) {
	case *string:
		*value = text
	case *bool:
		*value, _ = strconv.ParseBool(text)
	case *time.Duration:
		*value, _ = time.ParseDuration(text)
	case *int:
		*value = int(n)
	case *int64:
		*value = n
	case **int:
		*value = new(int(n))
	case *[]string:
		*value = nil
		for _, one := range values {
			parts := []string{one}
			if f.split != nil {
				parts = f.split(one)
			}
			*value = append(*value, parts...)
		}
	case *judging.Settings:
		f.choose(value, text)
	}
	return nil
}

// choose sets an option of the protocol, unless it is as by default.
func (f Field) choose(settings *judging.Settings, text string) {
	if f.Kind == Switch {
		on, _ := strconv.ParseBool(text)
		text = strconv.FormatBool(on)
	}
	if text == f.Default {
		return
	}
	if *settings == nil {
		*settings = judging.Settings{}
	}
	(*settings)[f.Name] = text
}

// texts returns the field's values in the request, as people write them.
func (f Field) texts() []string {
	text := ""
	switch value := f.value.(type) {
	case *[]string:
		return *value
	case **int:
		if *value == nil {
			return nil
		}
		text = strconv.Itoa(**value)
	case *judging.Settings:
		text = value.Get(*f.option)
	case *string:
		text = *value
	case *bool:
		text = strconv.FormatBool(*value)
	case *int:
		text = strconv.Itoa(*value)
	case *int64:
		text = strconv.FormatInt(*value, 10)
	case *time.Duration:
		text = value.String()
	}
	if f.Zero != "" && (text == "" || text == "0") {
		text = f.Zero
	}
	return []string{text}
}

// isUsual reports whether the request has the values of a new one.
func (f Field) isUsual() bool { return slices.Equal(f.texts(), f.usual) }

// check holds a value to the field's bounds.
func (f Field) check(text string) error {
	if f.Values != nil && !f.Files && !slices.Contains(f.Values, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(f.Values, ", "))
	}
	if f.Check != nil {
		if err := f.Check(text); err != nil {
			return err
		}
	}
	if f.Zero != "" && f.Most > 0 && text != f.Zero {
		n, err := integer(text)
		if err != nil || int(n) < f.Least || int(n) > f.Most {
			return fmt.Errorf("%q: expected a number from %d to %d, or %s", text, f.Least, f.Most, f.Zero)
		}
		return nil
	}
	switch f.Kind {
	case Number:
		n, err := integer(text)
		switch {
		case err != nil:
			return err
		case int(n) < f.Least:
			return fmt.Errorf("%d: it must be at least %d", n, f.Least)
		case f.Most > 0 && int(n) > f.Most:
			return fmt.Errorf("%d: it must be at most %d", n, f.Most)
		}
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return notAValue(text)
		}
		if d <= 0 {
			return fmt.Errorf("%s: it must be more than 0", d)
		}
	case Switch:
		if _, err := strconv.ParseBool(text); err != nil {
			return notAValue(text)
		}
	}
	return nil
}

func integer(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%q: the number is out of range", text)
	case err != nil:
		return 0, notAValue(text)
	}
	return n, nil
}

func notAValue(text string) error {
	return fmt.Errorf("%q: expected a number, a duration such as 90s, or true or false", text)
}
