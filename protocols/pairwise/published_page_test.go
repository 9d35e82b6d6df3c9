package pairwise

import (
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/scoring"
)

var updatePage = flag.Bool("page", false, "write the table of docs/published-judges.md anew")

// eachOfClone reads the pairs of a clone of LLMBar.
func eachOfClone(t *testing.T, set *references.PublishedSet, use func(id, subset string, item datasets.Item)) {
	t.Helper()
	clone := cmp.Or(os.Getenv("GAVEL_LLMBAR"), "../../../shared/data/llmbar")
	for _, g := range set.Groups {
		file, err := datasets.OpenFile(filepath.Join(clone, "Dataset/LLMBar", g.Name, "dataset.json"))
		if err != nil {
			t.Skipf("no clone of LLMBar: %v; GAVEL_LLMBAR names one", err)
		}
		for i := range file.Len() {
			item, err := file.Item(i)
			if err != nil {
				t.Fatal(err)
			}
			use(fmt.Sprintf("%s#%d", g.Name, i), g.Name, item)
		}
		file.Close()
	}
}

// TestDigestsOfLLMBar checks that the published verdicts are of the pairs in a clone, since gavel lacks their texts.
func TestDigestsOfLLMBar(t *testing.T) {
	set := references.LLMBar()
	var lines []byte
	eachOfClone(t, set, func(_, _ string, item datasets.Item) {
		lines = binary.BigEndian.AppendUint64(lines, item.Digest())
	})
	const path = "../../datasets/references/llmbar.digests"
	if *updatePage {
		if err := os.WriteFile(path, lines, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, err := PublishedRun(set, set.Judges[0], "")
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range run.Items {
		if want := binary.BigEndian.Uint64(lines[8*i:]); item.Digest() != want {
			t.Fatalf("%s has the digest %x, and its texts %x", item.ID, item.Digest(), want)
		}
	}
}

// TestPublishedJudgesPage checks that the table of docs/published-judges.md follows from gavel's verdicts and the texts
// of LLMBar's pairs in a clone.
func TestPublishedJudgesPage(t *testing.T) {
	const page = "../../docs/published-judges.md"
	set := references.LLMBar()
	more := map[string][]float64{}
	group := map[string]string{}
	eachOfClone(t, set, func(id, subset string, item datasets.Item) {
		for _, f := range features {
			more[id] = append(more[id], f.logCountIn(item.Candidates[0].Text)-f.logCountIn(item.Candidates[1].Text))
		}
		group[id] = strings.SplitN(subset, "/", 2)[0]
		if k, ok := set.ItemIndex(id); !ok || int(set.GoldByItem[k]-'1') != item.Gold {
			t.Fatalf("%s has another label than gavel's", id)
		}
	})
	type line struct {
		strict float64
		text   string
	}
	var lines []line
	for _, judge := range set.Judges {
		if !set.Complete(judge) {
			continue
		}
		var rows []responseDifferences
		right := map[string][2]int{}
		set.EachItem(func(i int, id, _ string) {
			u := responseDifferences{pair: pair{item: id, gold: int8(set.GoldByItem[i] - '1')}, differences: more[id], cluster: i}
			for k, verdict := range []byte{judge.FirstOrderVerdicts[i], judge.SecondOrderVerdicts[i]} {
				u.judgments[k] = judgment{present: true, firstCandidate: int8(k), outcome: judging.NoVerdict}
				switch verdict {
				case '1', '2':
					u.judgments[k].outcome = judging.Decided
					u.judgments[k].choice = int8(verdict - '1')
				case references.Tie:
					u.judgments[k].outcome = judging.Tie
				}
			}
			n := right[group[id]]
			right[group[id]] = [2]int{n[0] + int(scoring.Indicator(u.strict())), n[1] + 1}
			rows = append(rows, u)
		})
		s := swayOf(rows)
		var authors []string
		var length scoring.FeatureEffect
		for _, c := range s.Causes {
			if c.Name == scoring.CauseLength {
				length = c
			}
			if c.IsSignificant() {
				authors = append(authors, fmt.Sprintf("%s ×%.1f", c.Name, c.Odds.Ratio))
			}
		}
		share := func(n [2]int) float64 { return 100 * float64(n[0]) / float64(n[1]) }
		all := share([2]int{right["Natural"][0] + right["Adversarial"][0], 419})
		mark := ""
		if judge.LabelsFollowResponses {
			mark = "\\*"
		}
		lines = append(lines, line{strict: all, text: fmt.Sprintf("| %s%s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %s |",
			judge.Name, mark, all, share(right["Natural"]), share(right["Adversarial"]), *s.Causes[0].PrefersMore.Value,
			*length.PrefersMore.Value, *length.CorrectWithMore.Value, *length.CorrectWithLess.Value, *s.AccuracyAtEqualFeatures.Value, cmp.Or(strings.Join(authors, ", "), "–"))})
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(b.strict, a.strict) })
	var table strings.Builder
	table.WriteString("| judge | correct in both orders | Natural | Adversarial | prefers the first | prefers the longer | right, longer is better | " +
		"right, shorter is better | one verdict, all equal | swayed by |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, l := range lines {
		table.WriteString(l.text + "\n")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- table -->\n\n")
	old, after, ends := strings.Cut(rest, "\n<!-- end -->")
	if !ok || !ends {
		t.Fatal("the page has no marks around its table")
	}
	if *updatePage {
		text := before + "<!-- table -->\n\n" + table.String() + "\n<!-- end -->" + after
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table.String() {
		t.Errorf("the table is now (go test ./protocols/pairwise -run PublishedJudgesPage -page writes it):\n%s", table.String())
	}
}
