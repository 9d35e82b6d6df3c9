package checks

import (
	"embed"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/eval"
	"gavel/internal/labels"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// maxAnchors is the largest number of anchors that --write draws.
const maxAnchors = 40

//go:embed *.tmpl
var files embed.FS

// fileTemplates holds the texts of a check's file and of a file in JUnit's format.
var fileTemplates = template.Must(template.ParseFS(files, "*.tmpl"))

// Write writes a check's file to path from the run in dir: its judge and items, requirements that it meets, its
// identity, and a file of anchors beside it. It passes the level of the judge to say. It returns an error and writes
// nothing if one of the files exists, unless force is true, or if the run meets no requirement.
func Write(path, dir string, force bool, say func(string, ...any)) error {
	run, err := scoring.Load(dir, replyReadingRules)
	if err != nil {
		return err
	}
	request, ok := eval.RequestOf(run.Manifest)
	if !ok {
		return fmt.Errorf("%s was imported, so its judge cannot be asked again: name a run that gavel made", dir)
	}
	from, err := filepath.Rel(filepath.Dir(path), dir)
	if err != nil { // only one of the paths is absolute
		from, _ = filepath.Abs(dir)
	}
	anchorFile := strings.TrimSuffix(path, filepath.Ext(path)) + ".anchors.jsonl"
	judge, err := labels.ReadJudge(dir, replyReadingRules)
	if err != nil {
		return err
	}
	set, err := datasets.OpenFile(filepath.Join(dir, judging.ItemsFile))
	if err != nil {
		return err
	}
	defer set.Close()
	anchors := ""
	verdicts := map[string]string{}
	for _, i := range datasets.DrawOrder(set.Len(), set.ItemID, 1) {
		verdict := judge.Verdicts[set.ItemID(i)]
		if verdict == "" || len(verdicts) == maxAnchors {
			continue
		}
		raw, err := set.Raw(i)
		if err != nil {
			return err
		}
		verdicts[set.ItemID(i)] = verdict
		anchors += string(raw) + "\n"
	}
	b := scoring.DefaultOptions.Bootstrap
	say("level of the judge in %s: %s", dir, run.Score(b).Level())
	b.Level = 1 - alpha/8 // as in a check of four requirements
	rep := run.Score(b)
	require := suggestRequirements(rep)
	if len(require) == 0 {
		return fmt.Errorf("%s: nothing to require, since no metric's interval lies above 0: judge more items", dir)
	}
	err = report.WriteUnmarkedFile(path, force, func(w io.Writer) error {
		return fileTemplates.ExecuteTemplate(w, "judge.tmpl", map[string]any{
			"protocol": request.Protocol,
			"judge":    requestForItems(request, "").NonDefaults(),
			"from":     from,
			"anchors":  filepath.Base(anchorFile),
			"sum":      shortSum(anchors),
			"require":  require,
			"headline": rep.Overall(scoring.MetricsOf(rep.Protocol)[0].Metric).HasInterval(),
			"within":   max(5, 5*math.Ceil(20*stats.PairedInterval(0, 0, float64(run.Items), b.Level).High)),
			"identity": identityOf(run),
			"verdicts": verdicts,
		})
	})
	if err != nil {
		return err
	}
	err = report.WriteUnmarkedFile(anchorFile, force, func(w io.Writer) error {
		_, err := io.WriteString(w, anchors)
		return err
	})
	if err != nil && !force {
		os.Remove(path) // a check lacks its anchors otherwise
	}
	return err
}

// suggestRequirements returns requirements that a run meets with room, by the label of the metric: the ends of the
// intervals, rounded outwards.
func suggestRequirements(rep scoring.Report) map[string]string {
	all := map[string]string{}
	// of pairs the first three, of other protocols the headline
	for _, metric := range []string{
		scoring.AccuracyWhenConsistent, scoring.Coverage, scoring.FirstPosition, scoring.MetricsOf(rep.Protocol)[0].Metric,
		"spearman",
	} {
		x := rep.Overall(metric)
		if !x.HasInterval() || len(all) == 3 {
			continue
		}
		term, _ := scoring.MetricOf(rep.Protocol, metric)
		step := doc.AxisForUnit(x.Unit).Max / 20
		low, high := step*math.Floor(*x.Low/step), step*math.Ceil(*x.High/step)
		switch {
		case term.Direction != scoring.Higher:
			all[term.Label] = fmt.Sprintf("%.3g..%.3g", low, high)
		case low > 0: // 0 would require nothing
			all[term.Label] = fmt.Sprintf(">= %.3g", low)
		}
	}
	return all
}
