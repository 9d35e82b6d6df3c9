package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// msg is a message as the exports have it; change may spoil it.
func msg(id, role, text string, change ...func(map[string]any)) map[string]any {
	m := map[string]any{
		"message_id": id, "parent_id": nil, "user_id": "u", "created_date": "2023-02-07T17:29:24.727400+00:00", "text": text, "role": role, "lang": "en",
		"review_count": 3, "review_result": true, "deleted": false, "rank": nil, "synthetic": false, "model_name": nil,
		"emojis": map[string]any{"+1": 2, "_skip_reply": 7}, "labels": map[string]any{"spam": map[string]any{"value": 0.0, "count": 4}},
		"events": nil, "detoxify": nil, "message_tree_id": nil, "tree_state": nil, "CRITERIA": 4,
	}
	for _, f := range change {
		f(m)
	}
	return m
}

func reply(id string, rank any, change ...func(map[string]any)) map[string]any {
	return msg(id, "assistant", "reply "+id, append([]func(map[string]any){with("rank", rank)}, change...)...)
}

// tree is a line of an export of trees.
func tree(id string, prompt map[string]any, replies ...map[string]any) string {
	for _, r := range replies {
		r["parent_id"] = id
	}
	if prompt != nil {
		prompt["message_id"], prompt["replies"] = id, replies
	}
	return show(map[string]any{"message_tree_id": id, "tree_state": "ready_for_export", "prompt": prompt, "origin": "x"})
}

func ask(change ...func(map[string]any)) map[string]any {
	return msg("", "prompter", "prompt", change...)
}

// flat are the messages of tree lines as rows of the table, in their order.
func flat(t *testing.T, trees string) string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(trees), "\n") {
		var tree map[string]any
		if err := json.Unmarshal([]byte(line), &tree); err != nil {
			t.Fatal(err)
		}
		var walk func(m map[string]any, parent any)
		walk = func(m map[string]any, parent any) {
			row := maps.Clone(m)
			row["parent_id"] = parent
			delete(row, "replies")
			row["message_tree_id"], row["tree_state"] = tree["message_tree_id"], tree["tree_state"]
			out = append(out, show(row))
			replies, _ := m["replies"].([]any)
			for _, r := range replies {
				walk(r.(map[string]any), m["message_id"])
			}
		}
		if prompt, ok := tree["prompt"].(map[string]any); ok {
			walk(prompt, nil)
		}
	}
	return lines(out...)
}

func openLang(t *testing.T, path, lang string) *Set {
	t.Helper()
	s, err := openFileWith(path, OpenOptions{Lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func items(t *testing.T, s *Set) []Item {
	t.Helper()
	out := make([]Item, s.Len())
	for i := range out {
		out[i] = item(t, s, i)
	}
	return out
}

// What becomes of a tree: the options of the item and their ranks, or why there
// is none. Each is read as a tree and as rows of a table, with a good tree
// beside it.
func TestForest(t *testing.T) {
	answer := func(id string, rank any) map[string]any {
		return reply(id, rank, with("replies", []any{msg("deep", "prompter", "and then?", with("replies", []any{reply("deeper", 0)}))}))
	}
	const one, none = "with one reply to show (no entropy)", "without a reply to show"
	for name, tc := range map[string]struct {
		line  string
		texts string // of the options
		ranks string
		gold  int
		tree  string // why it is left out
		reply string // why replies are
	}{
		"ranked":            {line: tree("t", ask(), reply("b", 0), reply("a", 1)), texts: "a b", ranks: "1 0", gold: 1},
		"order of ids":      {line: tree("t", ask(), answer("c", 0), answer("a", 1), answer("b", 2)), texts: "a b c", ranks: "1 2 0", gold: 2},
		"ranks with a gap":  {line: tree("t", ask(), reply("a", 2), reply("b", 0)), texts: "a b", ranks: "2 0", gold: 1},
		"no rank of 0":      {line: tree("t", ask(), reply("a", 2), reply("b", 1)), texts: "a b", ranks: "2 1", gold: 1},
		"a rank twice":      {line: tree("t", ask(), reply("a", 0), reply("b", 0)), texts: "a b", ranks: "0 0", gold: NoGold},
		"no ranks":          {line: tree("t", ask(), reply("a", nil), reply("b", nil)), texts: "a b", ranks: "- -", gold: NoGold},
		"partly ranked":     {line: tree("t", ask(), reply("a", 1), reply("b", nil), reply("c", 0)), texts: "a c", ranks: "1 0", gold: 1, reply: "1 unranked beside ranked ones"},
		"one of them":       {line: tree("t", ask(), reply("a", 0), reply("b", nil)), tree: one, reply: "1 unranked beside ranked ones"},
		"deleted":           {line: tree("t", ask(), reply("a", 0, with("deleted", true)), reply("b", 1), reply("c", 2)), texts: "b c", ranks: "1 2", gold: 0, reply: "1 deleted"},
		"failed review":     {line: tree("t", ask(), reply("a", 0, with("review_result", false)), reply("b", 1), reply("c", 2)), texts: "b c", ranks: "1 2", gold: 0, reply: "1 failed review"},
		"not reviewed":      {line: tree("t", ask(), reply("a", 0, with("review_result", nil)), reply("b", 1)), texts: "a b", ranks: "0 1", gold: 0},
		"deleted and so on": {line: tree("t", ask(), reply("a", nil, with("review_result", false), with("deleted", true)), reply("b", 1), reply("c", 2)), texts: "b c", ranks: "1 2", gold: 0, reply: "1 deleted"},
		"of two languages":  {line: tree("t", ask(), reply("a", 0, with("lang", "de")), reply("b", 1), reply("c", 2)), texts: "b c", ranks: "1 2", gold: 0, reply: "1 of another language than the prompt"},
		"no language":       {line: tree("t", ask(without("lang")), reply("a", 0, without("lang")), reply("b", 1)), texts: "a b", ranks: "0 1", gold: 0},
		"of a model":        {line: tree("t", ask(), reply("a", 0, with("synthetic", true), with("model_name", "m")), reply("b", 1)), texts: "a b", ranks: "0 1", gold: 0},
		"not the assistant": {line: tree("t", ask(), reply("a", nil, with("role", "prompter")), reply("b", 0), reply("c", 1)), texts: "b c", ranks: "0 1", gold: 0, reply: "1 not the assistant's"},
		"a reply twice":     {line: tree("t", ask(), reply("a", 0), reply("b", 1), reply("a", 0)), texts: "a b", ranks: "0 1", gold: 0, reply: "1 in the file twice"},
		"empty and equal":   {line: tree("t", ask(), reply("a", 0, with("text", "")), reply("b", 1, with("text", "reply b")), reply("c", 2, with("text", "reply b"))), texts: " b b", ranks: "0 1 2", gold: 0},
		"minimal":           {line: `{"message_tree_id":"t","prompt":{"message_id":"t","text":"prompt","role":"prompter","lang":"en","replies":[{"message_id":"a","parent_id":"t","text":"reply a","role":"assistant","lang":"en"},{"message_id":"b","parent_id":"t","text":"reply b","role":"assistant","lang":"en"}]}}`, texts: "a b", ranks: "- -", gold: NoGold},
		"one reply":         {line: tree("t", ask(), reply("a", 0)), tree: one},
		"no reply":          {line: tree("t", ask()), tree: none},
		"all deleted":       {line: tree("t", ask(), reply("a", 0, with("deleted", true)), reply("b", 1, with("deleted", true))), tree: none, reply: "2 deleted"},
		"prompt deleted":    {line: tree("t", ask(with("deleted", true)), reply("a", 0), reply("b", 1)), tree: "with a deleted prompt"},
		"prompt rejected":   {line: tree("t", ask(with("review_result", false)), reply("a", 0), reply("b", 1)), tree: "with a prompt that failed review"},
		"another language":  {line: tree("t", ask(with("lang", "de")), reply("a", 0), reply("b", 1)), tree: "of another language"},
		"another state":     {line: strings.Replace(tree("t", ask(), reply("a", 0), reply("b", 1)), "ready_for_export", "aborted_low_grade", 1), tree: "not ready_for_export"},
	} {
		good := tree("good", ask(), reply("y", 0), reply("z", 1))
		forms := map[string]string{"trees": lines(good, tc.line)}
		forms["table"] = flat(t, forms["trees"])
		rows := strings.Split(strings.TrimSpace(forms["table"]), "\n")
		slices.Reverse(rows)
		forms["table upside down"] = lines(rows...)
		for form, content := range forms {
			t.Run(name+"/"+form, func(t *testing.T) {
				s := open(t, write(t, "x.jsonl", content))
				var it Item
				for _, found := range items(t, s) {
					if checkOptions(t, found); found.ID == "t" {
						it = found
					}
				}
				var texts []string
				for _, c := range it.Candidates {
					texts = append(texts, strings.TrimPrefix(c.Text, "reply "))
				}
				if tc.tree != "" {
					tc.gold = it.Gold
				}
				if strings.Join(texts, " ") != tc.texts || ranks(it.Candidates) != tc.ranks || it.Gold != tc.gold || s.Skipped != 0 {
					t.Errorf("options %q, ranks %s, gold %d, %d skipped: %v", texts, ranks(it.Candidates), it.Gold, s.Skipped, s.Bad)
				}
				var want []string
				for what, why := range map[string]string{"Trees left out: 1 ": tc.tree, "Replies left out of the trees taken: ": tc.reply} {
					if why != "" {
						want = append(want, what+why+".")
					}
				}
				slices.Sort(want)
				slices.Reverse(want)
				if got := s.Notes[1:]; !slices.Equal(got, want) {
					t.Errorf("notes %q, want %q", got, want)
				}
			})
		}
	}
}

func TestForestOfModels(t *testing.T) {
	s := open(t, write(t, "x.jsonl", tree("t", ask(), reply("a", 0, with("model_name", "m")), reply("b", 1))))
	it := item(t, s, 0)
	if it.Candidates[0].Model != "m" || it.Candidates[1].Model != "" || it.Source != "en" || it.Question != "prompt" || it.Group != "2 options" || it.Line != 1 {
		t.Errorf("%+v", it)
	}
}

func TestForestNotes(t *testing.T) {
	es := with("lang", "es")
	path := write(t, "x.jsonl", lines(
		tree("a", ask(), reply("1", 0), reply("2", 1)),
		tree("b", ask(), reply("1", nil), reply("2", nil), reply("3", nil, with("deleted", true)), reply("4", nil)),
		tree("a", ask(), reply("1", 0), reply("2", 1)),
		"",
		tree("c", ask(es), reply("1", 0, es), reply("2", 1, es), reply("3", 2)),
		"{",
	))
	for lang, want := range map[string][]string{
		"": {
			"2 items of 4 trees (language en): the prompt and the assistant's first replies, 2 to 3 options each; 1 item without ranks, so without a best option.",
			"Trees left out: 1 in the file twice, 1 of another language.",
			"Replies left out of the trees taken: 1 deleted.",
		},
		"es": {
			"1 item of 4 trees (language es): the prompt and the assistant's first replies, 2 options each.",
			"Trees left out: 1 in the file twice, 2 of another language.",
			"Replies left out of the trees taken: 1 of another language than the prompt.",
		},
		anyLanguage: {
			"3 items of 4 trees (all languages): the prompt and the assistant's first replies, 2 to 3 options each; 1 item without ranks, so without a best option.",
			"Trees left out: 1 in the file twice.",
			"Replies left out of the trees taken: 1 deleted, 1 of another language than the prompt.",
		},
	} {
		s := openLang(t, path, lang)
		if !slices.Equal(s.Notes, want) || s.Skipped != 1 {
			t.Errorf("%q: %d skipped, notes\n%s", lang, s.Skipped, strings.Join(s.Notes, "\n"))
		}
	}
}

func TestBadMessages(t *testing.T) {
	good := lines(tree("good", ask(), reply("y", 0), reply("z", 1)))
	for name, tc := range map[string]struct{ line, want string }{
		"no prompt":         {tree("t", nil), `key "prompt" is missing`},
		"prompt is a text":  {`{"message_tree_id":"t","prompt":"hello"}`, `key "prompt" is of type string, expected an object`},
		"prompt of answers": {tree("t", msg("", "assistant", "x"), reply("a", 0), reply("b", 1)), "the tree does not begin with a prompt"},
		"prompt of no text": {tree("t", ask(without("text")), reply("a", 0), reply("b", 1)), `message t has no "text"`},
		"reply of no text":  {tree("t", ask(), reply("a", 0, with("text", nil)), reply("b", 1)), `message a has no "text"`},
		"reply of no id":    {tree("t", ask(), reply("a", 0, without("message_id")), reply("b", 1)), `a message has no "message_id"`},
		"another role":      {tree("t", ask(), reply("a", 0, with("role", "system")), reply("b", 1)), `message a has the role "system", neither prompter nor assistant`},
		"half a rank":       {tree("t", ask(), reply("a", 0.5), reply("b", 1)), "rank 0.5 is not a whole number from 0"},
		"text of a number":  {tree("t", ask(with("text", 1)), reply("a", 0), reply("b", 1)), `key "prompt.text" is of type number, expected string`},
		"replies is a text": {`{"message_tree_id":"t","prompt":{"message_id":"t","replies":"x"}}`, `key "prompt.replies" is of type string, expected an array`},
		"null among them":   {`{"message_tree_id":"t","prompt":{"message_id":"t","text":"p","role":"prompter","replies":[null]}}`, `a message has no "message_id"`},
		"not JSON":          {`{"message_tree_id":"t"`, "broken JSON at byte 22: unexpected end of JSON input"},
		"not UTF-8":         {"{\"message_tree_id\":\"\xff\"}", "not UTF-8: save the file in that encoding"},
		"another format":    {`{"prompt":"p","ranks":[]}`, `key "prompt" is of type string, expected an object`},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, write(t, "x.jsonl", good+tc.line+"\n"+strings.Replace(good, "good", "more", 2)))
			if s.Len() != 2 || s.Skipped != 1 || len(s.Bad) != 1 {
				t.Fatalf("%d items, %d skipped", s.Len(), s.Skipped)
			}
			oneLine(t, s.Bad[0], s.Path, "FILE:2: "+tc.want)
		})
	}
	rows := flat(t, good) + `{"message_id":"x","role":"assistant"}` + "\n"
	s := open(t, write(t, "x.jsonl", rows))
	if s.Len() != 1 || s.Skipped != 1 {
		t.Fatalf("%d items, %d skipped", s.Len(), s.Skipped)
	}
	oneLine(t, s.Bad[0], s.Path, `FILE:4: message x has no "text"`)
}

// A language filter cuts trees: their prompt may be missing, or prompt and reply
// are there and what is between them is not.
func TestTableWithoutPrompts(t *testing.T) {
	content := flat(t, lines(
		tree("a", ask(), reply("1", 0), reply("2", 1)),
		tree("b", ask(), reply("3", 0), reply("4", 1)),
	))
	rows := strings.Split(strings.TrimSpace(content), "\n")
	s := open(t, write(t, "x.jsonl", lines(slices.Delete(rows, 3, 4)...)))
	if s.Len() != 1 || item(t, s, 0).ID != "a" {
		t.Errorf("%d items", s.Len())
	}
	if want := "Trees left out: 1 without their prompt in this file (a filter by language cuts trees)."; s.Notes[1] != want {
		t.Errorf("notes %q", s.Notes)
	}
}

// Rows that do not say which tree they are of, and prompts that have no parent_id
// at all.
func TestTableOfFewKeys(t *testing.T) {
	s := open(t, write(t, "x.jsonl", lines(
		`{"message_id":"a","text":"prompt","role":"prompter","lang":"en"}`,
		`{"message_id":"c","parent_id":"a","text":"reply c","role":"assistant","lang":"en","rank":0.0}`,
		`{"message_id":"b","parent_id":"a","text":"reply b","role":"assistant","lang":"en","rank":1.0}`,
		`{"message_id":"d","parent_id":"b","text":"and then?","role":"prompter","lang":"en"}`,
		`{"message_id":"e","parent_id":"d","text":"reply e","role":"assistant","lang":"en","rank":null}`,
		`{"message_id":"f","parent_id":"d","text":"reply f","role":"assistant","lang":"en","rank":null}`,
	)))
	if it := item(t, s, 0); s.Len() != 1 || ranks(it.Candidates) != "1 0" || it.Candidates[1].Text != "reply c" {
		t.Errorf("%d items, the first %+v", s.Len(), it)
	}
}

const oasstDir = "../../shared/data/oasst1"

func oasstFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(oasstDir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published file is not here: ", path)
	}
	return path
}

const (
	oasstTable = "en-validation.jsonl"
	oasstTrees = "trees/oasst2_filtered.ready_for_export.jsonl"
)

// The published table, counted a second way: by walking its rows as they are.
func TestOASSTTable(t *testing.T) {
	path := oasstFile(t, oasstTable)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type row = map[string]any
	children := map[string][]row{}
	var roots []row
	n := 0
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m row
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		n++
		if parent, ok := m["parent_id"].(string); ok {
			children[parent] = append(children[parent], m)
		} else {
			roots = append(roots, m)
		}
	}
	groups, several, pairs := 0, 0, 0
	for _, siblings := range children {
		ranked := 0
		for _, m := range siblings {
			if m["rank"] != nil {
				ranked++
			}
		}
		if ranked > 0 {
			groups++
		}
		if ranked > 1 {
			several++
		}
		pairs += ranked * (ranked - 1) / 2
	}
	if n != 2022 || len(roots) != 188 || groups != 419 || several != 418 || pairs != 1026 {
		t.Errorf("%d messages, %d roots, %d groups with a rank, %d with two, %d pairs; the file's own README says 2022, 188, 419, 418, 1026", n, len(roots), groups, several, pairs)
	}

	s := openLang(t, path, "")
	byID := map[string]Item{}
	for _, it := range items(t, s) {
		checkOptions(t, it)
		byID[it.ID] = it
	}
	sizes, golds := map[string]int{}, map[string]int{}
	for _, root := range roots {
		var want []string
		for _, m := range children[root["message_id"].(string)] {
			if m["deleted"] == false && m["review_result"] == true && m["rank"] != nil {
				want = append(want, fmt.Sprint(m["message_id"], m["rank"], m["text"]))
			}
		}
		slices.Sort(want)
		it, found := byID[root["message_id"].(string)]
		if found != (len(want) >= 2) {
			t.Errorf("%s has %d options: is it an item? %v", root["message_id"], len(want), found)
		}
		if !found {
			continue
		}
		delete(byID, it.ID)
		sizes[it.Group]++
		golds[it.Candidates[it.Gold].ID]++
		for i, c := range it.Candidates {
			if !strings.HasSuffix(want[i], fmt.Sprint(*c.Rank, c.Text)) || *it.Candidates[it.Gold].Rank != 0 {
				t.Errorf("%s: option %s is %.40q of rank %d, want %.80s", it.ID, c.ID, c.Text, *c.Rank, want[i])
			}
		}
		if it.Question != root["text"] || it.Source != "en" {
			t.Errorf("%s asks %q", it.ID, it.Question)
		}
	}
	if len(byID) != 0 {
		t.Errorf("items of no root: %v", slices.Collect(maps.Keys(byID)))
	}
	if want := map[string]int{"2 options": 24, "3 options": 155, "4 options": 7}; s.Len() != 186 || !maps.Equal(sizes, want) {
		t.Errorf("%d items, by options %v, want 186, %v", s.Len(), sizes, want)
	}
	// In the file all 186 best replies stand first.
	if golds["01"] > 80 || golds["02"] > 80 || golds["03"] > 80 {
		t.Errorf("the best options are %v", golds)
	}
	if want := []string{
		"186 items of 191 trees (language en): the prompt and the assistant's first replies, 2 to 4 options each.",
		"Trees left out: 2 with one reply to show (no entropy), 3 without their prompt in this file (a filter by language cuts trees).",
		"Replies left out of the trees taken: 10 deleted, 15 failed review.",
	}; !slices.Equal(s.Notes, want) {
		t.Errorf("notes\n%s", strings.Join(s.Notes, "\n"))
	}
}

func TestOASSTTrees(t *testing.T) {
	path := oasstFile(t, oasstTrees)
	for lang, want := range map[string]struct {
		items int
		left  string
	}{
		"":    {25, "Trees left out: 2 in the file twice, 38 of another language."},
		"es":  {24, "Trees left out: 2 in the file twice, 39 of another language."},
		"ru":  {4, "Trees left out: 2 in the file twice, 59 of another language."},
		"all": {63, "Trees left out: 2 in the file twice."},
	} {
		s := openLang(t, path, lang)
		if s.Len() != want.items || s.Skipped != 0 || s.Format != "oasst-trees" || s.Notes[1] != want.left {
			t.Errorf("%q: %d items, %d skipped, format %s, notes %q", lang, s.Len(), s.Skipped, s.Format, s.Notes)
		}
		for _, it := range items(t, s) {
			if checkOptions(t, it); *it.Candidates[it.Gold].Rank != 0 {
				t.Errorf("%s has no reply of rank 0", it.ID)
			}
		}
	}
	_, err := openFileWith(path, OpenOptions{Lang: "xx"})
	oneLine(t, err, path, "FILE: no item is left: 0 items of 65 trees (language xx): the prompt and the assistant's first replies. Trees left out: 2 in the file twice, 63 of another language.")
}

// Trees taken apart into a table give the same items, and one tree stands in both
// published files.
func TestTreesAndTableAgree(t *testing.T) {
	path := oasstFile(t, oasstTrees)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trees := items(t, openLang(t, path, anyLanguage))
	table := items(t, openLang(t, write(t, "flat.jsonl", flat(t, string(data))), anyLanguage))
	if len(trees) != 63 || len(table) != 63 {
		t.Fatalf("%d items of trees, %d of the table", len(trees), len(table))
	}
	for i := range trees {
		if !sameOptions(trees[i], table[i]) || !bytes.Equal(trees[i].Raw, table[i].Raw) {
			t.Errorf("%s as a tree:\n%s\nin a table:\n%s", trees[i].ID, trees[i].Raw, table[i].Raw)
		}
	}

	const both = "db160030-fbb6-4a00-81c2-c68854d8ccbd"
	find := func(s *Set) Item {
		i, ok := s.IDs().Find(both)
		if !ok {
			t.Fatalf("%s has no %s", s.Name, both)
		}
		return item(t, s, i)
	}
	a, b := find(openLang(t, path, "")), find(openLang(t, oasstFile(t, oasstTable), ""))
	if !bytes.Equal(a.Raw, b.Raw) || len(a.Candidates) != 3 {
		t.Errorf("the tree:\n%s\nthe table:\n%s", a.Raw, b.Raw)
	}
}

func TestOASSTGzip(t *testing.T) {
	path := oasstFile(t, oasstTrees)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain, s := open(t, path), open(t, write(t, "2023-04-12_oasst_ready.trees.jsonl.gz", packed.String()))
	if s.SHA256 != hexSum(packed.Bytes()) || !reflect.DeepEqual(items(t, s), items(t, plain)) || !slices.Equal(s.Notes, plain.Notes) {
		t.Errorf("packed and plain differ: %q, %q", s.Notes, plain.Notes)
	}
}

// The items of a run are a file of their own, which holds the same items.
func TestAssembledLinesAreItems(t *testing.T) {
	for _, name := range []string{oasstTable, oasstTrees} {
		s := open(t, oasstFile(t, name))
		var content []byte
		for i := range s.Len() {
			raw, err := s.Raw(i)
			if err != nil {
				t.Fatal(err)
			}
			content = append(append(content, raw...), '\n')
		}
		again := open(t, write(t, "items.jsonl", string(content)))
		if again.Format != "options" || again.Len() != s.Len() || again.SHA256 != hexSum(content) {
			t.Fatalf("%s: format %s, %d items of %d", name, again.Format, again.Len(), s.Len())
		}
		for i, it := range items(t, s) {
			if other := item(t, again, i); !sameOptions(it, other) || !bytes.Equal(it.Raw, other.Raw) {
				t.Errorf("%s: item %s is another one", name, it.ID)
			}
		}
	}
}

// A tree whose line is longer than any buffer, and as deep as they get.
func TestLongTree(t *testing.T) {
	deep := reply("x", nil)
	for i := range 200 {
		deep = msg(fmt.Sprint("d", i), []string{"prompter", "assistant"}[i%2], strings.Repeat("long ", 2000), with("replies", []any{deep}))
	}
	line := tree("t", ask(), reply("a", 0, with("replies", []any{deep})), reply("b", 1, with("text", strings.Repeat("b", 1<<20))))
	s := open(t, write(t, "x.jsonl", lines(line)))
	if it := item(t, s, 0); len(line) < 3e6 || len(it.Candidates) != 2 || len(it.Candidates[1].Text) != 1<<20 {
		t.Errorf("a line of %d bytes: %d options", len(line), len(it.Candidates))
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(tree("t", ask(), reply("b", 0), reply("a", 1, with("deleted", true)), reply("c", nil))))
	f.Add([]byte(tree("t", ask(with("lang", "de")))))
	f.Add([]byte(`{"message_tree_id":"t","prompt":{"message_id":"t","text":"\ud800","role":"prompter","replies":[{"message_id":"a","text":"","role":"assistant"},{"message_id":"b","text":"","role":"assistant"}]}}`))
	f.Add([]byte(`{"message_tree_id":1,"prompt":[]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		root, replies, err := parseTree(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		fuzzForest(t, root, replies)
	})
}

func FuzzTable(f *testing.F) {
	root := msg("t", "prompter", "p")
	f.Add([]byte(show(root)), []byte(show(reply("a", 0, with("parent_id", "t")))), []byte(show(reply("b", 1, with("parent_id", "t"), with("message_tree_id", "t")))))
	f.Add([]byte(`{"message_id":"t","text":"","role":"prompter"}`), []byte(`{"message_id":"t","text":"","role":"assistant","parent_id":"t"}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		tb := table{forest: newForest(anyLanguage), replies: map[string][]message{}, rooted: map[string]bool{}}
		for _, line := range [][]byte{a, b, c} {
			if m, err := parseMessage(line); err == nil {
				tb.add(m)
			}
		}
		for _, root := range tb.prompts {
			fuzzForest(t, root, tb.replies[root.ID])
		}
	})
}

func fuzzForest(t *testing.T, root message, replies []message) {
	f := newForest(anyLanguage)
	it, ok := f.item(root, replies)
	if !ok {
		if _, again := f.item(root, replies); again || f.noTree[treeTwice] != 1 {
			t.Error("the same tree a second time is an item")
		}
		return
	}
	checkOptions(t, it)
	if len(it.Candidates) > len(replies) || f.items != 1 || f.trees != 1 {
		t.Errorf("%d options of %d replies", len(it.Candidates), len(replies))
	}
}

// Whatever a file holds, its items are items, and so are those of their lines.
func FuzzOpenAssembled(f *testing.F) {
	trees := lines(tree("t", ask(), reply("b", 0), reply("a", 1)), tree("u", ask(), reply("b", 0), reply("a", 1)))
	f.Add([]byte(trees))
	f.Add([]byte(lines(`{"prompt":"p","outputs":["a","b"]}`, "{", `{"prompt":"p","outputs":["a"]}`, `{"id":7,"prompt":"q","outputs":["a","b"],"ranks":[1,0]}`)))
	f.Add([]byte(lines(`{"message_id":"t","text":"p","role":"prompter"}`, `{"message_id":"a","text":"p","role":"assistant","parent_id":"t"}`, `{"message_id":"b","text":"p","role":"assistant","parent_id":"t"}`, `{"message_id":1}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := inMemory("fuzz", data)
		if err != nil || s.format.Assemble == nil {
			return
		}
		var content []byte
		for _, it := range items(t, s) {
			checkOptions(t, it)
			content = append(append(content, it.Raw...), '\n')
		}
		again, err := inMemory("again", content)
		if err != nil {
			t.Fatal(err)
		}
		for i, it := range items(t, s) {
			if other := item(t, again, i); !sameOptions(it, other) {
				t.Errorf("item %q is another one in a file of its own", it.ID)
			}
		}
	})
}
