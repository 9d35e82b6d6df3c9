package suite

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// Suite holds the definition in a suite's file and the runs (cells) that it describes.
type Suite struct {
	*Definition
	Cells []*Cell // by judge, then in the order of the file's conditions
	shard string  // the shard whose folder this is, such as 3/16; "" for all items
}

// conditionProduct holds an entry of the file's conditions. It describes one condition for each
// combination of protocol and values.
type conditionProduct struct {
	name      string // "": conditions are named after their settings
	line      int
	protocols []judging.Protocol
	axes      [][]setting // for each flag the values in the file
}

// Condition describes what every judge is asked in one column of the suite's matrix.
type Condition struct {
	scoring.SuiteCondition
	line     int
	protocol judging.Protocol
	settings []setting
}

// Cell describes one run: a judge under a condition.
type Cell struct {
	Request   eval.RunRequest
	name      string
	judge     *Judge
	condition *Condition
	settings  map[string]setting // flags of the run, by name; for the request
}

// Limits of a suite's matrix: with YAML's aliases a short file can describe a large one.
const (
	maxCells = scoring.MostSuiteCells // cells, and entries of a list in the file
	maxBytes = 16 << 20               // bytes of the settings of all conditions and cells
)

// Open reads the suite's file at path and makes its cells.
func Open(path string) (*Suite, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return file.MakeSuite((*Cell).ReadRequest)
}

// MakeSuite makes the cells of a suite, one for each judge and condition. read returns the request of a cell.
func (s *Definition) MakeSuite(read func(*Cell) (eval.RunRequest, error)) (*Suite, error) {
	if limit := maxCells / len(s.judges); len(s.conditions) > limit {
		return nil, s.tooManyCells(s.conditions[limit].line)
	}
	m := &Suite{Definition: s}
	for i := range s.judges {
		for _, condition := range s.conditions {
			c, err := s.cell(&s.judges[i], condition)
			if err != nil {
				return nil, err
			}
			c.Request, err = read(c)
			if err != nil {
				return nil, s.locateError(c, err)
			}
			c.Request.Out = filepath.Join(s.Out, c.name)
			if c.judge.name != c.Request.Model {
				c.Request.JudgeName = c.judge.name
			}
			m.Cells = append(m.Cells, c)
		}
	}
	return m, nil
}

// ReadRequest returns the request that the cell's settings describe.
func (c *Cell) ReadRequest() (eval.RunRequest, error) {
	return eval.ParseRequest(c.Protocol(), c.Values())
}

// Protocol returns the protocol of the cell's condition.
func (c *Cell) Protocol() judging.Protocol { return c.condition.protocol }

// Values returns the settings of the cell by the name of the request's field.
func (c *Cell) Values() map[string][]string {
	values := map[string][]string{}
	for flag, set := range c.settings {
		values[flag] = set.values
	}
	return values
}

// addConditions adds the conditions that an entry of the file describes: all combinations of its protocols and values.
// The values of the entry's last list change fastest.
func (s *Definition) addConditions(p conditionProduct) error {
	size := len(p.protocols)
	for _, values := range p.axes {
		size = min(size*len(values), maxCells+1) // so that no product overflows
	}
	if len(s.conditions)+size > maxCells {
		return s.tooManyCells(p.line)
	}
	for n := range size {
		c := &Condition{line: p.line}
		for _, values := range slices.Backward(p.axes) {
			c.settings = append(c.settings, values[n%len(values)])
			n /= len(values)
		}
		// Names do not depend on the order of the file.
		slices.SortFunc(c.settings, func(a, b setting) int { return strings.Compare(a.flag, b.flag) })
		for _, set := range c.settings {
			if err := s.addSettingBytes(c.line, set); err != nil {
				return err
			}
		}
		c.protocol = p.protocols[n]
		c.setDescription()
		c.Name = p.nameOf(c)
		if err := s.checkConditionName(c); err != nil {
			return err
		}
		s.conditions = append(s.conditions, c)
	}
	return nil
}

func (s *Definition) tooManyCells(line int) error {
	return s.errorAtLine(line, "the matrix has more than %d cells", maxCells)
}

// addSettingBytes adds the size of a setting to s.bytes, and returns an error if the sum exceeds maxBytes.
func (s *Definition) addSettingBytes(line int, set setting) error {
	for _, w := range set.values {
		s.bytes += len(w) + len(set.flag)
	}
	if s.bytes > maxBytes {
		return s.errorAtLine(line, "the settings of all cells have more than %d bytes together: "+
			"check for a value that is too long", maxBytes)
	}
	return nil
}

// setDescription sets the protocol, dataset, prompt and options that reports show for the condition.
func (c *Condition) setDescription() {
	c.SuiteCondition = scoring.SuiteCondition{Protocol: c.protocol.Name, Prompt: c.protocol.Templates[0].Name}
	var options []string
	for _, set := range c.settings {
		switch set.flag {
		case "dataset":
			c.Dataset = set.String()
		case "prompt":
			c.Prompt = set.String()
		default:
			options = append(options, set.flag+" "+set.String())
		}
	}
	c.Options = strings.Join(options, ", ")
}

// nameOf returns the name of a condition of the entry: its settings or, if the entry has a name, that name with the
// values that its lists vary.
func (p conditionProduct) nameOf(c *Condition) string {
	parts := []string{c.Protocol, baseName(c.Dataset), baseName(c.Prompt)}
	if p.name != "" {
		parts = []string{eval.FolderName(p.name)}
		if len(p.protocols) > 1 {
			parts = append(parts, c.Protocol)
		}
	}
	for _, set := range c.settings {
		var words []string
		for _, w := range set.values {
			words = append(words, baseName(w))
		}
		value := strings.Join(words, "-")
		content := set.flag == "dataset" || set.flag == "prompt"
		if !content {
			value = set.flag + "-" + value
		}
		if p.name == "" && !content || p.name != "" && set.isAxis {
			parts = append(parts, value)
		}
	}
	if p.name == "" {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	}
	return strings.Join(parts, "_")
}

// baseName returns a word as a part of a folder's name: the last element of a path.
func baseName(word string) string {
	if !strings.Contains(word, "://") && word != "" {
		word = filepath.Base(word)
	}
	return eval.FolderName(word)
}

// checkConditionName returns an error for a condition that exists already or would have another one's folder.
func (s *Definition) checkConditionName(c *Condition) error {
	if len(c.Name) > 150 {
		return s.errorAtLine(c.line,
			"the folder of this condition would be called %.60s…: give the condition a name", c.Name)
	}
	for _, other := range s.conditions {
		if !strings.EqualFold(other.Name, c.Name) {
			continue
		}
		if other.SuiteCondition == c.SuiteCondition {
			return s.errorAtLine(c.line, "the condition %s exists already, in line %d", c.Name, other.line)
		}
		return s.errorAtLine(c.line, "two conditions would have the same folder, %s, the other in line %d: "+
			"give this one a name", c.Name, other.line)
	}
	return nil
}

// cell returns a judge's run under a condition. Settings of the judge or the condition override the defaults;
// it is an error if both set the same flag. Settings of the judge and the defaults apply only if the
// condition's protocol has the flag.
func (s *Definition) cell(j *Judge, condition *Condition) (*Cell, error) {
	c := &Cell{judge: j, condition: condition, settings: map[string]setting{}}
	c.name = eval.FolderName(j.name) + "_" + condition.Name
	if len(c.name) > maxName {
		return nil, s.errorAtLine(j.line,
			"the folder of this judge's run would be called %.60s…: give the judge a shorter name", c.name)
	}
	fields := requestFields(condition.protocol)
	for _, set := range slices.Concat(s.defaults, j.settings) {
		if fields[set.flag].Name != "" {
			c.settings[set.flag] = set
		}
	}
	for _, set := range condition.settings {
		i := slices.IndexFunc(j.settings, func(other setting) bool { return other.flag == set.flag })
		if i >= 0 {
			return nil, s.errorAtLine(set.line, "%s is set by the judge %s too, in line %d: leave out one",
				set.flag, j.name, j.settings[i].line)
		}
		c.settings[set.flag] = set
	}
	for _, set := range c.settings {
		if err := s.addSettingBytes(j.line, set); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// locateError adds to an error about a cell's request the file's line that sets the wrong field, or else the dataset.
func (s *Definition) locateError(c *Cell, err error) error {
	if err == nil || errors.As(err, new(*lineError)) {
		return err
	}
	flag := "dataset"
	var field *eval.FieldError
	if errors.As(err, &field) {
		flag = field.Field
	}
	return s.errorAtLine(cmp.Or(c.settings[flag].line, c.condition.line), "%w", err)
}

// Check opens the datasets of all cells and checks them against the cells' protocols, before any judge is asked.
func (s *Suite) Check(ctx context.Context, e *eval.Maker) error {
	checked := map[string]bool{}
	for _, c := range s.Cells {
		key := c.Request.QuestionsKey()
		if checked[key] {
			continue
		}
		checked[key] = true
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.locateError(c, e.CheckRequest(c.Request)); err != nil {
			return err
		}
	}
	return nil
}

// requests yields the requests of all cells.
func (s *Suite) requests(yield func(eval.RunRequest) bool) {
	for _, c := range s.Cells {
		if !yield(c.Request) {
			return
		}
	}
}
