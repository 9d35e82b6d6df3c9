package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// suite is a file with its matrix.
type suite struct {
	*suiteFile
	points []*suitePoint
	cells  []*suiteCell // judge by judge, then as the file has the conditions
	bytes  int          // of all that is set for them
}

// suitePoint is one condition of the matrix: what every judge is asked.
type suitePoint struct {
	name     string
	line     int
	kind     judging.Kind
	settings []setting // each with one value
	prompt   string
	dataset  string
	options  string // what else is set, for people
}

// suiteCell is one run: a judge under a condition. It is the command line args,
// and nothing that those do not say.
type suiteCell struct {
	name  string
	judge *suiteJudge
	point *suitePoint
	out   string // its folder
	args  []string
	set   []setting      // that args are of, each with one value
	lines map[string]int // where each flag is set
	opts  runOptions
}

// More than anybody means. With aliases a short file can stand for much.
const (
	mostCells = scoring.MostCells // and entries of a list
	mostBytes = 16 << 20          // of all that is set for the cells
)

// openSuite reads a file and makes its matrix.
func (e *env) openSuite(path string) (*suite, error) {
	file, err := readSuite(path)
	if err != nil {
		return nil, err
	}
	return e.matrix(file)
}

func (e *env) matrix(file *suiteFile) (*suite, error) {
	return makeMatrix(file, func(c *suiteCell) (runOptions, error) { return e.readRun(c.args) })
}

// makeMatrix makes the cells of a file; read reads the options of each.
func makeMatrix(file *suiteFile, read func(*suiteCell) (runOptions, error)) (*suite, error) {
	s := &suite{suiteFile: file}
	for i := range s.conditions {
		if err := s.expand(&s.conditions[i]); err != nil {
			return nil, err
		}
	}
	for i := range s.judges {
		for _, p := range s.points {
			c, err := s.cell(&s.judges[i], p)
			if err == nil {
				c.opts, err = read(c)
			}
			if err != nil {
				return nil, s.blame(c, err)
			}
			s.cells = append(s.cells, c)
		}
	}
	return s, nil
}

// expand makes the conditions that an entry of the file stands for: its axes
// multiplied, the last one turning first.
func (s *suite) expand(c *suiteCondition) error {
	size, err := s.size(c)
	if err != nil {
		return err
	}
	for n := range size {
		p := &suitePoint{line: c.line}
		left, axes := n, []string{}
		for i := len(c.settings) - 1; i >= 0; i-- {
			set := c.settings[i]
			one := set
			one.values = set.values[left%len(set.values):][:1]
			left /= len(set.values)
			p.settings = append(p.settings, one)
		}
		// So that names do not follow the order of the file.
		slices.SortFunc(p.settings, func(a, b setting) int { return strings.Compare(a.flag, b.flag) })
		kind, err := judging.KindNamed(c.protocols[left].String())
		if err != nil {
			return s.wrong(c.protocols[left].line, "%v", err)
		}
		if err := s.weigh(c.line, p.settings); err != nil {
			return err
		}
		if p.kind = kind; c.name != "" && len(c.protocols) > 1 {
			axes = append(axes, kind.Name)
		}
		if err := s.label(p, c.name, axes); err != nil {
			return err
		}
		s.points = append(s.points, p)
	}
	return nil
}

// size is how many conditions an entry of the file stands for.
func (s *suite) size(c *suiteCondition) (int, error) {
	size := 1
	for _, n := range append([]int{len(c.protocols)}, lengths(c.settings)...) {
		if size *= n; (size+len(s.points))*len(s.judges) > mostCells {
			return 0, s.wrong(c.line, "the matrix has more than %d cells", mostCells)
		}
	}
	return size, nil
}

func lengths(settings []setting) (list []int) {
	for _, set := range settings {
		list = append(list, len(set.values))
	}
	return list
}

// weigh counts what is set for a condition or a cell.
func (s *suite) weigh(line int, settings []setting) error {
	for _, set := range settings {
		for _, w := range set.values[0].words {
			s.bytes += len(w) + len(set.flag)
		}
	}
	if s.bytes > mostBytes {
		return s.wrong(line, "what is set for all cells together has more than %d bytes: is a value as long as it should be?", mostBytes)
	}
	return nil
}

// label names a condition: by what is asked, or by its name and its axes.
func (s *suite) label(p *suitePoint, name string, axes []string) error {
	p.prompt = p.kind.Templates[0].Name
	var options []string
	for _, set := range p.settings {
		value := set.values[0].String()
		switch set.flag {
		case "dataset":
			p.dataset = value
		case "prompt":
			p.prompt = value
		default:
			options = append(options, set.flag+" "+value)
		}
		if set.axis {
			axes = append(axes, s.part(set))
		}
	}
	if p.options = strings.Join(options, ", "); name != "" {
		p.name = strings.Join(append([]string{s.folder(name)}, axes...), "_")
	} else {
		parts := []string{p.kind.Name, s.base(p.dataset), s.base(p.prompt)}
		for _, set := range p.settings {
			if set.flag != "dataset" && set.flag != "prompt" {
				parts = append(parts, s.part(set))
			}
		}
		p.name = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "_")
	}
	if len(p.name) > 150 {
		return s.wrong(p.line, "the folder of this condition would be called %.60s…: give the condition a name", p.name)
	}
	for _, other := range s.points {
		if !strings.EqualFold(other.name, p.name) {
			continue
		}
		if slices.Equal(other.words(), p.words()) {
			return s.wrong(p.line, "the condition %s is there already, from line %d", p.name, other.line)
		}
		return s.wrong(p.line, "two conditions would have one folder, %s, the other from line %d: give this one a name", p.name, other.line)
	}
	return nil
}

// words are what is set.
func (p *suitePoint) words() []string {
	words := []string{p.kind.Name}
	for _, set := range p.settings {
		words = append(words, set.flag+"="+strings.Join(set.values[0].words, "\x00"))
	}
	return words
}

// part is a setting in a folder's name.
func (s *suite) part(set setting) string {
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
func (s *suite) base(word string) string {
	if !strings.Contains(word, "://") && word != "" {
		word = filepath.Base(word)
	}
	return s.folder(word)
}

// cell is a judge's run under a condition. What the judge or the condition sets
// stands before the defaults; that both set one thing is an error. A judge's
// settings and the defaults are for the protocols that have them.
func (s *suite) cell(j *suiteJudge, p *suitePoint) (*suiteCell, error) {
	c := &suiteCell{judge: j, point: p, lines: map[string]int{}}
	c.name = s.folder(j.name) + "_" + p.name
	c.args = []string{"run", p.kind.Name}
	flags := suiteFlags(p.kind)
	for _, set := range j.settings {
		if flags[set.flag] != nil {
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
		if _, set1 := c.lines[set.flag]; flags[set.flag] != nil && !set1 {
			c.add(set)
		}
	}
	if len(c.name) > mostOfName {
		return c, s.wrong(j.line, "the folder of this judge's run would be called %.60s…: give the judge a shorter name", c.name)
	}
	if err := s.weigh(j.line, c.set); err != nil {
		return c, err
	}
	c.out = filepath.Join(s.out, c.name)
	c.args = append(c.args, "--out="+c.out)
	return c, nil
}

func (c *suiteCell) add(set setting) {
	c.set = append(c.set, set)
	value := set.values[0]
	c.lines[set.flag] = value.line
	for _, w := range value.words {
		c.args = append(c.args, "--"+set.flag+"="+w)
	}
}

// readRun reads the command line of a run, as `gavel run` does, and makes none.
func (e *env) readRun(args []string) (o runOptions, err error) {
	run := runCommand(e)
	for i, k := range judging.Kinds { // in the order of the subcommands
		run.Subcommands[i].Action = func(c *cli.Context) error {
			o, err = runOptionsFrom(c, k)
			return err
		}
	}
	app := newApp(e)
	app.Commands = []*cli.Command{run}
	adopt(app.Commands)
	return o, app.Run(append([]string{app.Name}, args...))
}

var flagIn = regexp.MustCompile(`--([a-z][a-z-]*)`)

// blame says which line of the file an error of a cell's command line is about.
func (s *suite) blame(c *suiteCell, err error) error {
	var coded *exitCodeError
	if strings.HasPrefix(err.Error(), s.path+":") || !errors.As(err, &coded) && c == nil {
		return err
	}
	line := c.point.line
	for _, m := range flagIn.FindAllStringSubmatch(err.Error(), -1) {
		if at, ok := c.lines[m[1]]; ok {
			line = at
			break
		}
	}
	return &exitCodeError{code: exitUsage, err: fmt.Errorf("%s:%d: %w", s.path, line, err)}
}

// check opens what the cells are of and holds it to their protocols, before
// anything is asked.
func (e *env) check(ctx context.Context, s *suite) error {
	quiet := *e
	quiet.stderr = new(onlyOnce)
	checked := map[string]bool{}
	for _, c := range s.cells {
		key := c.opts.apart()
		if checked[key] {
			continue
		}
		checked[key] = true
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := quiet.checkRun(c.opts); err != nil {
			line := c.point.line
			if at, ok := c.lines["dataset"]; ok {
				line = at
			}
			if flagIn.MatchString(err.Error()) {
				return s.blame(c, err)
			}
			return usage("%s:%d: %v", s.path, line, err)
		}
	}
	return nil
}

func (e *env) checkRun(o runOptions) error {
	its, err := e.openItems(o)
	if err != nil {
		return err
	}
	defer its.set.Close()
	kind, err := judging.KindNamed(o.protocol)
	if err != nil {
		return err
	}
	if kind.Takes(datasets.Judgment) {
		if _, err = stagesOf(o, its); err == nil {
			_, err = findTemplate(kind, o.prompt)
		}
		for _, a := range o.agents {
			if _, gone := os.Stat(a); gone != nil && !strings.Contains(a, "@") && !strings.HasPrefix(a, "sim:") && err == nil {
				err = usage("--agents %s: neither a file, nor a run, nor MODEL@URL", a)
			}
		}
		return err
	}
	_, err = ask(o, its)
	return err
}

// runCell does what the cell's command line does.
func (e *env) runCell(ctx context.Context, c *suiteCell, dry bool) error {
	o := c.opts
	o.dryRun = dry
	return e.runAny(ctx, o)
}
