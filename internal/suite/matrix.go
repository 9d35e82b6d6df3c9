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

// Suite is a file with its matrix.
type Suite struct {
	*File
	points []*Condition
	Cells  []*Cell // judge by judge, then as the file has the conditions
	bytes  int     // of all that is set for them
	shard  string  // which shard's folder this is of, such as 3/16; "" for all items
}

// Condition is one condition of the matrix: what every judge is asked.
type Condition struct {
	scoring.SuiteCondition
	line     int
	protocol judging.Protocol
	settings []setting // each with one value
}

// Cell is one run: a judge under a condition.
type Cell struct {
	Request eval.Request
	name    string
	judge   *Judge
	point   *Condition
	out     string         // its folder
	set     []setting      // each with one value
	lines   map[string]int // where each field is set
}

// More than anybody means. With aliases a short file can stand for much.
const (
	mostCells = scoring.MostCells // and entries of a list
	mostBytes = 16 << 20          // of all that is set for the cells
)

// Open reads a file and makes its matrix.
func Open(path string) (*Suite, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return file.Matrix((*Cell).Read)
}

// Matrix makes the cells of a file; read reads the request of each.
func (s *File) Matrix(read func(*Cell) (eval.Request, error)) (*Suite, error) {
	m := &Suite{File: s}
	for i := range s.conditions {
		if err := m.expand(&s.conditions[i]); err != nil {
			return nil, err
		}
	}
	for i := range s.judges {
		for _, p := range m.points {
			c, err := m.cell(&s.judges[i], p)
			if err != nil {
				return nil, err
			}
			c.Request, err = read(c)
			if err != nil {
				return nil, m.blame(c, err)
			}
			c.Request.Out = c.out
			if c.judge.name != c.Request.Model {
				c.Request.Name = c.judge.name
			}
			m.Cells = append(m.Cells, c)
		}
	}
	return m, nil
}

// Read is the request of a cell.
func (c *Cell) Read() (eval.Request, error) { return eval.Read(c.Protocol(), c.Values()) }

// Protocol is that of the cell's condition.
func (c *Cell) Protocol() judging.Protocol { return c.point.protocol }

// Values are what is set for the cell, by field.
func (c *Cell) Values() map[string][]string {
	values := map[string][]string{}
	for _, set := range c.set {
		values[set.flag] = set.values[0].words
	}
	return values
}

// expand makes the conditions that an entry of the file stands for: its axes multiplied, the last one turning first.
func (s *Suite) expand(c *condition) error {
	size, err := s.size(c)
	if err != nil {
		return err
	}
	for n := range size {
		p := &Condition{line: c.line}
		left := n
		for _, set := range slices.Backward(c.settings) {
			n := len(set.values)
			set.values = set.values[left%n:][:1]
			left /= n
			p.settings = append(p.settings, set)
		}
		// So that names do not follow the order of the file.
		slices.SortFunc(p.settings, func(a, b setting) int { return strings.Compare(a.flag, b.flag) })
		if err := s.weigh(c.line, p.settings); err != nil {
			return err
		}
		p.protocol = c.protocols[left]
		p.describe()
		p.Name = s.nameOf(p, c)
		if err := s.only(p); err != nil {
			return err
		}
		s.points = append(s.points, p)
	}
	return nil
}

// size counts the conditions that an entry of the file stands for.
func (s *Suite) size(c *condition) (int, error) {
	size := len(c.protocols)
	for _, set := range c.settings {
		size = min(size*len(set.values), mostCells+1) // so that no product overflows
	}
	if (size+len(s.points))*len(s.judges) > mostCells {
		return 0, s.wrong(c.line, "the matrix has more than %d cells", mostCells)
	}
	return size, nil
}

// weigh counts what is set for a condition or a cell.
func (s *Suite) weigh(line int, settings []setting) error {
	for _, set := range settings {
		for _, w := range set.values[0].words {
			s.bytes += len(w) + len(set.flag)
		}
	}
	if s.bytes > mostBytes {
		return s.wrong(line, "what is set for all cells together has more than %d bytes: "+
			"is a value as long as it should be?", mostBytes)
	}
	return nil
}

// describe says what the condition asks.
func (p *Condition) describe() {
	p.Protocol = p.protocol.Name
	p.Prompt = p.protocol.Templates[0].Name
	var options []string
	for _, set := range p.settings {
		switch value := set.values[0].String(); set.flag {
		case "dataset":
			p.Dataset = value
		case "prompt":
			p.Prompt = value
		default:
			options = append(options, set.flag+" "+value)
		}
	}
	p.Options = strings.Join(options, ", ")
}

// nameOf a condition is made of what is asked or, where its entry has a name, of that and its axes.
func (s *Suite) nameOf(p *Condition, c *condition) string {
	parts := []string{p.Protocol, s.base(p.Dataset), s.base(p.Prompt)}
	if c.name != "" {
		parts = []string{s.folder(c.name)}
		if len(c.protocols) > 1 {
			parts = append(parts, p.Protocol)
		}
	}
	for _, set := range p.settings {
		if c.name == "" && set.flag != "dataset" && set.flag != "prompt" || c.name != "" && set.axis {
			parts = append(parts, s.part(set))
		}
	}
	if c.name == "" {
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	}
	return strings.Join(parts, "_")
}

// only refuses a condition that is there already, or would have the folder of another.
func (s *Suite) only(p *Condition) error {
	if len(p.Name) > 150 {
		return s.wrong(p.line, "the folder of this condition would be called %.60s…: give the condition a name", p.Name)
	}
	for _, other := range s.points {
		if !strings.EqualFold(other.Name, p.Name) {
			continue
		}
		if other.SuiteCondition == p.SuiteCondition {
			return s.wrong(p.line, "the condition %s is there already, from line %d", p.Name, other.line)
		}
		return s.wrong(p.line, "two conditions would have one folder, %s, the other from line %d: "+
			"give this one a name", p.Name, other.line)
	}
	return nil
}

// part is a setting in a folder's name.
func (s *Suite) part(set setting) string {
	var words []string
	for _, w := range set.values[0].words {
		words = append(words, s.base(w))
	}
	value := strings.Join(words, "-")
	if set.flag == "dataset" || set.flag == "prompt" {
		return value
	}
	return set.flag + "-" + value
}

// base is a word as part of a folder's name: of a path its last element.
func (s *Suite) base(word string) string {
	if !strings.Contains(word, "://") && word != "" {
		word = filepath.Base(word)
	}
	return s.folder(word)
}

// cell is a judge's run under a condition. What the judge or the condition sets stands before the defaults; that both
// set one thing is an error. A judge's settings and the defaults are for the protocols that have them.
func (s *Suite) cell(j *Judge, p *Condition) (*Cell, error) {
	c := &Cell{judge: j, point: p, lines: map[string]int{}}
	c.name = s.folder(j.name) + "_" + p.Name
	fields := fieldsOf(p.protocol)
	for _, set := range j.settings {
		if fields[set.flag].Name != "" {
			c.add(set)
		}
	}
	for _, set := range p.settings {
		if line, twice := c.lines[set.flag]; twice {
			return c, s.wrong(set.line, "%s is set by the judge %s too, in line %d: leave out one", set.flag, j.name, line)
		}
		c.add(set)
	}
	for _, set := range s.defaults {
		if _, given := c.lines[set.flag]; !given && fields[set.flag].Name != "" {
			c.add(set)
		}
	}
	if len(c.name) > mostOfName {
		return c, s.wrong(j.line,
			"the folder of this judge's run would be called %.60s…: give the judge a shorter name", c.name)
	}
	if err := s.weigh(j.line, c.set); err != nil {
		return c, err
	}
	c.out = filepath.Join(s.Out, c.name)
	return c, nil
}

func (c *Cell) add(set setting) {
	c.set = append(c.set, set)
	c.lines[set.flag] = set.values[0].line
}

// blame says which line of the file an error of a cell's request is about.
func (s *Suite) blame(c *Cell, err error) error {
	var located *lineError
	if err == nil || errors.As(err, &located) {
		return err
	}
	at := 0
	var field *eval.FieldError
	if errors.As(err, &field) {
		at = c.lines[field.Field]
	}
	return &lineError{File: s.path, Line: cmp.Or(at, c.point.line), Err: err}
}

// Check opens what the cells are of and holds it to their protocols, before anything is asked.
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
		err := e.Check(c.Request)
		if line, ok := c.lines["dataset"]; err != nil && ok && !errors.As(err, new(*eval.FieldError)) {
			return &lineError{File: s.path, Line: line, Err: err}
		}
		if err := s.blame(c, err); err != nil {
			return err
		}
	}
	return nil
}

// requests are those of all cells.
func (s *Suite) requests(yield func(eval.Request) bool) {
	for _, c := range s.Cells {
		if !yield(c.Request) {
			return
		}
	}
}
