package eval

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gavel/internal/disk"
	"gavel/judging"
)

// FieldKind is the type of a field's values.
type FieldKind string

// Values of [Field].Kind.
const (
	FieldKindText     FieldKind = "text"
	FieldKindNumber   FieldKind = "number"
	FieldKindSwitch   FieldKind = "switch"
	FieldKindDuration FieldKind = "duration"
	FieldKindList     FieldKind = "list" // texts; may be given more than once
)

// Parts of a request, as help and forms group the fields.
const (
	RequestPartItems   = "what"
	RequestPartAsking  = "how"
	RequestPartFolders = "where"
	RequestPartServer  = "server"
)

// Field describes a setting of a request: a flag of the command line, a key of a suite's file, a field of forms and
// API.
type Field struct {
	Name        string
	Label       string    // heading on forms; by default Name with spaces
	Help        string    // for the command line, the value's name in backquotes; short help ends at the first semicolon
	About       string    // text on forms, if it differs from Help
	Part        string    // one of ItemsPart, AskingPart, FoldersPart and ServerPart
	Only        string    // property of the protocols that have the field, such as "with tasks"; "": all protocols
	Kind        FieldKind // by default from the type of value
	Default     string    // as people write it; by default the value in New
	Zero        string    // the word for the value zero; "": zero is written as a number
	Values      []string  // all possible values; nil: not listed
	Files       bool      // a file may be named instead of one of Values
	Runs        bool      // the folder of a run may be given instead of one of Values; "run" is one that the items name
	Min         int       // least number
	Max         int       // greatest number; 0: no limit
	Local       bool      // browsers may not set the field
	NeedsServer bool      `yaml:"needs-server"` // the field has no meaning for simulated judges
	NoBatch     string    `yaml:"no-batch"`     // why a batch excludes the field; "": it does not

	valuePointer any                      // pointer to the field's value in a request
	defaults     []string                 // the field's values in a new request
	option       *judging.Option          // the protocol's option that the field sets; nil for other fields
	valid        func(value string) error // further check of a value; may be nil
}

// bind returns the field bound to value, a pointer into a request, with its kind, default and label, as far as they are
// missing, from usual, the pointer into a new request.
func (f Field) bind(value, usual any) Field {
	f.valuePointer = usual
	f.defaults = f.texts()
	f.valuePointer = value
	if f.Kind == "" {
		f.Kind = f.kind()
	}
	f.Default = cmp.Or(f.Default, strings.Join(f.defaults, ","))
	words := strings.ReplaceAll(f.Name, "-", " ")
	f.Label = cmp.Or(f.Label, strings.ToUpper(words[:1])+words[1:])
	return f
}

// kind returns the kind that follows from the type of the value.
func (f Field) kind() FieldKind {
	if f.Zero != "" {
		return FieldKindText
	}
	switch f.valuePointer.(type) {
	case *bool:
		return FieldKindSwitch
	case *time.Duration:
		return FieldKindDuration
	case *[]string:
		return FieldKindList
	case *int, *int64, **int:
		return FieldKindNumber
	}
	return FieldKindText
}

// FieldNamed finds a field of a protocol.
func FieldNamed(k judging.Protocol, name string) (Field, bool) {
	fields := ProtocolFields(k)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// optionField returns the field that sets an option of a protocol.
func optionField(o *judging.Option) Field {
	f := Field{
		Name:    o.Name,
		Label:   o.Label,
		Help:    o.Usage,
		Part:    RequestPartItems,
		Default: o.Default,
		Values:  o.Values,
		Runs:    o.Runs,
		option:  o,
	}
	if o.Default == "false" {
		f.Kind = FieldKindSwitch
		f.Values = nil
	}
	if o.Check != nil {
		f.valid = func(value string) error {
			if err := o.Check(value); err != nil {
				return fmt.Errorf("%s: %w", value, err)
			}
			return nil
		}
	}
	return f
}

// read parses values as people write them, and stores them in the request to which the field is bound.
func (f Field) read(values []string) error {
	text := values[len(values)-1]
	if f.Zero != "" && text == f.Zero {
		text = ""
	} else if err := f.check(text); err != nil {
		return err
	}
	n, _ := strconv.ParseInt(text, 0, 64) // 0 if it is not a number; check has refused invalid numbers
	switch value := f.valuePointer.(type) {
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
		for _, entry := range values {
			*value = append(*value, f.split(entry)...)
		}
	case *judging.Settings:
		f.setProtocolOption(value, text)
	}
	return nil
}

// split returns the values in one entry of a list: --agents takes names with commas between them, except those of a
// simulated judge.
func (f Field) split(entry string) []string {
	switch {
	case f.Name == "group":
		entry = strings.TrimPrefix(entry, "category=")
	case f.Name == "agents" && !strings.HasPrefix(entry, "sim:"):
		return strings.Split(entry, ",")
	}
	return []string{entry}
}

// setProtocolOption sets the protocol's option to text in settings, which hold no defaults.
func (f Field) setProtocolOption(settings *judging.Settings, text string) {
	if f.Kind == FieldKindSwitch {
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
	switch value := f.valuePointer.(type) {
	case *[]string:
		return *value
	case **int:
		if *value == nil {
			return nil
		}
		text = strconv.Itoa(**value)
	case *judging.Settings:
		text = value.Get(*f.option)
	default:
		text = fmt.Sprint(reflect.ValueOf(value).Elem())
	}
	if f.Zero != "" && (text == "" || text == "0") {
		text = f.Zero
	}
	return []string{text}
}

// isDefault reports whether the field has the same values in the request as in a new one.
func (f Field) isDefault() bool { return slices.Equal(f.texts(), f.defaults) }

// check returns an error for a value outside of the field's limits.
func (f Field) check(text string) error {
	isRun := f.Runs && (text == "run" || disk.Exists(filepath.Join(text, judging.ManifestFile)))
	if f.Values != nil && !f.Files && !isRun && !slices.Contains(f.Values, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(f.Values, ", "))
	}
	if f.valid != nil {
		if err := f.valid(text); err != nil {
			return err
		}
	}
	if f.Zero != "" && f.Max > 0 && text != f.Zero {
		n, err := integer(text)
		if err != nil || int(n) < f.Min || int(n) > f.Max {
			return fmt.Errorf("%q: expected a number from %d to %d, or %s", text, f.Min, f.Max, f.Zero)
		}
		return nil
	}
	switch f.Kind {
	case FieldKindNumber:
		n, err := integer(text)
		switch {
		case err != nil:
			return err
		case int(n) < f.Min:
			return fmt.Errorf("%d: it must be at least %d", n, f.Min)
		case f.Max > 0 && int(n) > f.Max:
			return fmt.Errorf("%d: it must be at most %d", n, f.Max)
		}
	case FieldKindDuration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return notAValue(text)
		}
		if d <= 0 {
			return fmt.Errorf("%s: it must be more than 0", d)
		}
	case FieldKindSwitch:
		if _, err := strconv.ParseBool(text); err != nil {
			return notAValue(text)
		}
	}
	return nil
}

// integer parses a whole number. Its error is in words for people.
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
