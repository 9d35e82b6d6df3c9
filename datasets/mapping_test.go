package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16Of is a text as a spreadsheet saves it as Unicode.
func utf16Of(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func mappedBy(fields string, values ...string) OpenOptions {
	return OpenOptions{Mapping: Mapping{Fields: []string{fields}, LabelValues: values}}
}

// told is all of a set that a test looks at.
func told(t *testing.T, s *Set) string {
	t.Helper()
	var out []string
	for i := range s.Len() {
		it := item(t, s, i)
		var texts []string
		for _, c := range it.Candidates {
			text := c.Text
			if c.Model != "" {
				text += " by " + c.Model
			}
			texts = append(texts, text)
		}
		out = append(out, fmt.Sprintf("%d %s %s %q [%s] %s (%s)", it.Line, it.ID, it.Shape, it.Question, strings.Join(texts, "|"), it.GoldID(), it.Group))
	}
	return strings.Join(out, "\n")
}

const ownCSV = "nr,prompt,out_1,out_2,winner\n7,\"Say \"\"hi\"\",\n please.\",=1+1,\"b,\u00e9\",model_a\n8,Why?,x,y,model_b\n\n9,How?,x,y,tie\n10,When?,x,y,\n"

// Rows of any shape are items, whatever they are packed in.
func TestMapping(t *testing.T) {
	const fields = "question=prompt,response_a=out_1,response_b=out_2,label=winner"
	const want = `2 2 pair "Say \"hi\",\n please." [=1+1|b,é] A ((no source))
4 4 pair "Why?" [x|y] B ((no source))
6 6 pair "How?" [x|y]  ((no source))
7 7 pair "When?" [x|y]  ((no source))`
	for name, content := range map[string]string{
		"CSV":         ownCSV,
		"with a mark": "\ufeff" + ownCSV,
		"UTF-16":      utf16Of(binary.LittleEndian, ownCSV),
		"other UTF":   utf16Of(binary.BigEndian, ownCSV),
		"semicolons":  strings.NewReplacer("nr,", "nr;", "t,o", "t;o", "1,o", "1;o", "2,w", "2;w", "7,", "7;", "\",=", "\";=", "+1,", "+1;", "\",m", "\";m", "8,", "8;", "?,", "?;", "x,y,", "x;y;", "9,", "9;", "10,", "10;").Replace(ownCSV),
		"gzip":        gzipOf(t, ownCSV),
	} {
		s, err := openBytes("own.csv", []byte(content), mappedBy(fields))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := told(t, s); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
		note := "2 of 4 pairs have no label that names a response, 1 of them labelled a tie: they are judged, count for consistency and position, and are left out of what needs a label."
		if len(s.Notes) != 1 || s.Notes[0] != note {
			t.Errorf("%s: %q", name, s.Notes)
		}
		if s.File != hexSum([]byte(content)) || s.SHA256 == s.File {
			t.Errorf("%s: SHA-256 %s of the file, %s of the dataset", name, s.File, s.SHA256)
		}
	}
}

// Every shape, by the columns that it has.
func TestMappedShapes(t *testing.T) {
	for name, tc := range map[string]struct {
		rows, fields, values, want string
	}{
		"pairs with all": {`{"p":{"text":"Q"},"a":["x","y"],"b":"z","w":2,"m":"gpt","n":"llama","c":"sums","i":5}`,
			"question=p.text,response_a=a.-1,response_b=b,label=w,model_a=m,model_b=n,group=c,id=i", "", `1 5 pair "Q" [y by gpt|z by llama] B (sums)`},
		"label by model":      {`{"p":"Q","a":"x","b":"y","w":"llama","m":"gpt","n":"llama"}`, "question=p,response_a=a,response_b=b,label=w,model_a=m,model_b=n", "", `1 1 pair "Q" [x by gpt|y by llama] B ((no source))`},
		"label by column":     {`{"p":"Q","a1":"x","b1":"y","w":"b1"}`, "question=p,response_a=a1,response_b=b1,label=w", "", `1 1 pair "Q" [x|y] B ((no source))`},
		"label by values":     {`{"p":"Q","a":"x","b":"y","w":0}`, "question=p,response_a=a,response_b=b,label=w", "A>B=1,B>A=0,tie=2", `1 1 pair "Q" [x|y] B ((no source))`},
		"unlabelled":          {`{"p":"Q","a":"x","b":"y"}`, "question=p,response_a=a,response_b=b", "", `1 1 pair "Q" [x|y]  ((no source))`},
		"a context":           {`{"c":"C","p":"Q","a":"x","b":"y"}`, "question=c,question=p,response_a=a,response_b=b", "", `1 1 pair "C\n\nQ" [x|y]  ((no source))`},
		"a preference":        {`{"p":"Q","a":"x","b":"y","w":"tie"}`, "question=p,response_a=a,response_b=b,preference=w", "", `1 1 preference "Q" [x|y|] C ((no source))`},
		"no preference":       {`{"p":"Q","a":"x","b":"y","w":null,"z":"z"}` + "\n" + `{"p":"R","a":"x","b":"y","w":"B"}`, "question=p,response_a=a,response_b=b,preference=w", "", "1 1 preference \"Q\" [x|y|]  ((no source))\n2 2 preference \"R\" [x|y|] B ((no source))"},
		"a choice by letter":  {`{"p":"Q","o":["x","y","z"],"w":"c","g":"law"}`, "question=p,options=o,label=w,group=g", "", `1 1 choice "Q" [x|y|z] C (law)`},
		"a choice by text":    {`{"p":"Q","o":"[\"x\",\"y\"]","w":"y"}`, "question=p,options=o,label=w", "", `1 1 choice "Q" [x|y] B ((no source))`},
		"a choice by number":  {`{"p":"Q","o":["x","y"],"w":1}`, "question=p,options=o,label=w", "A=0,B=1", `1 1 choice "Q" [x|y] B ((no source))`},
		"a choice of columns": {"p,a1,a2,a3,w\nQ,x,y,,a2\n", "question=p,options=a1,options=a2,options=a3,label=w", "A=a1,B=a2", `2 2 choice "Q" [x|y] B ((no source))`},
		"a number":            {`{"p":"Q","w":"1,200"}`, "question=p,label=w", "", `1 1 number "Q" [] 1,200 ((no source))`},
		"ranked":              {`{"p":"Q","o":["x","y","z"],"r":[1,0,null]}`, "question=p,outputs=o,ranks=r", "", `1 1 options "Q" [x|y|z] 02 (3 options)`},
		"the best is named":   {`{"p":"Q","o":["x","y","z"],"w":"C"}`, "question=p,outputs=o,label=w", "", `1 1 options "Q" [x|y|z] 03 (3 options)`},
		"chosen, rejected":    {`{"p":"Q","c":"x","r":["y"]}`, "question=p,chosen=c,rejected=r", "", `1 1 pair "Q" [x|y] A ((no source))`},
		"best of four":        {`{"p":"Q","c":["x"],"r":["y","z","u"]}`, "question=p,chosen=c,rejected=r", "", `1 1 options "Q" [z|y|x|u] 03 (4 options)`},
	} {
		t.Run(name, func(t *testing.T) {
			how := mappedBy(tc.fields)
			if tc.values != "" {
				how.LabelValues = []string{tc.values}
			}
			s, err := openBytes("own", []byte(tc.rows), how)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, s); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if back, err := openBytes("own", []byte(tc.rows), OpenOptions{Mapping: s.Mapping}); err != nil || back.SHA256 != s.SHA256 {
				t.Errorf("the mapping as it was understood, %s, is another: %v", s.Mapping, err)
			}
		})
	}
}

// Columns with plain names need no mapping, and the one that was taken is told as flags.
func TestGuess(t *testing.T) {
	for name, tc := range map[string]struct{ rows, want string }{
		"pairs":        {ownCSV, "--field question=prompt,response_a=out_1,response_b=out_2,label=winner"},
		"later labels": {`{"Prompt":"Q","Response A":"x","Response B":"y"}` + "\n" + `{"Prompt":"R","Response A":"x","Response B":"y","Winner":"A"}`, "--field 'question=Prompt,response_a=Response A,response_b=Response B,label=Winner'"},
		"no labels":    {"instruction,answer_1,answer_2\nQ,x,y", "--field question=instruction,response_a=answer_1,response_b=answer_2"},
		"choices":      {`{"query":"Q","choices":["x","y"],"answer":"B","subject":"law"}`, "--field question=query,options=choices,label=answer,group=subject"},
		"outputs":      {`{"id":3,"instruction":"Q","completions":["x","y"]}`, "--field id=id,question=instruction,outputs=completions"},
		"chosen":       {`{"prompt":"Q","chosen":"x","rejected":"y"}`, "--field question=prompt,chosen=chosen,rejected=rejected"},
		"JudgeBench's": {pair("x"), ""},
		"gavel's own":  {`{"prompt":"Q","outputs":["x","y"]}`, ""},
		"a mark":       {"\ufeff" + pair("x"), ""}, "its own mapped": {`{"pair_id":"x","question":"Q","response_A":"x","response_B":"y"}`, "--field id=pair_id,question=question,response_a=response_A,response_b=response_B"},
	} {
		s, err := openBytes("own", []byte(tc.rows), OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		note := "own: the columns are read as their names say: " + tc.want
		if s.Mapping.String() != tc.want || tc.want != "" && !slices.Contains(s.Notes, note) || tc.want == "" && s.File != "" {
			t.Errorf("%s: %s, %q", name, s.Mapping, s.Notes)
		}
	}
}

// What is wrong is said in one sentence, with the line where it is.
func TestMappingErrors(t *testing.T) {
	const pairs = "question=p,response_a=a,response_b=b,label=w"
	long := strings.Repeat("x", 1<<20)
	for name, tc := range map[string]struct{ content, fields, values, want string }{
		"no question":        {"p,a,b\n", "response_a=a,response_b=b", "", "FILE: --field says no column of the question: question=COLUMN"},
		"half a pair":        {"p,a,b\n", "question=p,response_a=a", "", "FILE: --field response_a and response_b go together"},
		"no such part":       {"p,a,b\n", "frage=p", "", `FILE: --field "frage": a column may be id, question, response_a, response_b, options, outputs, chosen, rejected, label, preference, ranks, model_a, model_b, group or source`},
		"no equation":        {"p,a,b\n", "p", "", `FILE: --field "p": it is written NAME=VALUE,NAME=VALUE`},
		"two labels":         {"p,a,b\n", "question=p,response_a=a,response_b=b,label=a,label=b", "", "FILE: --field label has 2 columns: it has one"},
		"two kinds":          {"p,a,b\n", "question=p,options=a,outputs=b,label=a", "", "FILE: --field response_a, options, outputs and chosen are of different items: name one of them"},
		"nothing to judge":   {"p,a,b\n", "question=p", "", "FILE: --field says no column of the right answer: label=COLUMN; or name those of response_a and response_b, of outputs, or of chosen and rejected"},
		"no such column":     {"p,a,b,w\nQ,x,y,A\n", "question=p,response_a=a,response_b=b,label=winner", "", "FILE: --field label=winner: no row has anything in a column of that name; there are a, b, p, w"},
		"a label's name":     {"p,a,b,w\nQ,x,y,A\n", pairs, "A<->B=A", `FILE: --label-values "A<->B": of pairs it is A>B, B>A or tie, of choices and outputs a letter, and numbers have none`},
		"what is 0":          {"p,a,b,w\nQ,x,y,0\n", pairs, "", "FILE: labels are 0 and 1: which response each names must be said, with --label-values 'A>B=…,B>A=…'"},
		"not a named value":  {"p,a,b,w\nQ,x,y,0\n", pairs, "A>B=1", `FILE:2: label "0" is none of those that --label-values names (no usable line among 1; expected rows as --field question=p,response_a=a,response_b=b,label=w --label-values 'A>B=1' says)`},
		"an object":          {`{"p":{"x":1},"a":"x","b":"y","w":"A"}`, pairs, "", `FILE:1: column "p" is an object: name what is in it, such as p.0 or p.content (no usable line among 1; expected rows as --field question=p,response_a=a,response_b=b,label=w says)`},
		"names that are two": {"p,a,a\nQ,x,y\n", pairs, "", `FILE:1: two columns are called "a": give each a name of its own`},
		"a cell too many":    {"p,a,b,w\nQ,x,y,A\n\"\nQ\",x,y,A,B\n", pairs, "", "FILE:3: another number of cells than the 4 of the first line: put cells with commas, quotes or line breaks between quotes"},
		"a quote in a cell":  {"p,a,b,w\nQ,x\"y\",y,A\n", pairs, "", `FILE:2: broken quotes at byte 4: a cell with a quote in it is put between quotes, and its own are written twice`},
		"an open quote":      {"p,a,b,w\nQ,x,y,A\nQ,\"x,y,A\nQ,x,y,A\n", pairs, "", "FILE:3: broken quotes: the cell whose quote is opened here, or one after it in the row, is not closed as it should be (seen at line 4, byte 9); quotes in a cell are written twice"},
		"another encoding":   {"p,a,b,w\nQ,x,y,A\nQ,\xe9,y,A\n", pairs, "", "FILE:3: not UTF-8: save the file in that encoding"},
		"UTF-16, no mark":    {strings.TrimPrefix(utf16Of(binary.LittleEndian, "p,a,b,w\n"), "\xff\xfe"), pairs, "", "FILE: a third of its first bytes is NUL: it is no text, or UTF-16 without a byte order mark: save it as UTF-8"},
		"half of UTF-16":     {utf16Of(binary.LittleEndian, "p,a\nx") + "y", pairs, "", "FILE: the UTF-16 text ends in the middle of a character: get the file again"},
		"names alone":        {"p,a,b,w\n", pairs, "", "FILE: the file is empty; expected rows as --field question=p,response_a=a,response_b=b,label=w says"},
		"1 MB and no label":  {"p,a,b,w\nQ," + long + ",y," + long + "\n", pairs, "", `FILE:2: label "` + long[:40] + `…": what does it name? say so with --label-values 'A>B=…,B>A=…,tie=…' (no usable line among 1; expected rows as --field question=p,response_a=a,response_b=b,label=w says)`},
	} {
		t.Run(name, func(t *testing.T) {
			how := mappedBy(tc.fields)
			if tc.values != "" {
				how.LabelValues = []string{tc.values}
			}
			path := write(t, "own.csv", tc.content)
			_, err := openFileWith(path, how)
			oneLine(t, err, path, tc.want)
		})
	}
}

// Cells of any length and with any character are read as they are.
func TestHostileCells(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for name, cell := range map[string]string{"1 MB": long, "NUL": "a\x00b", "a formula": "=HYPERLINK(\"http://x\",\"y\")", "a command": "@SUM(1+1)*cmd|' /C calc'!A0", "lines": "a\n\n\"b\"\u2028c", "control": "\x1b[31mred\x07"} {
		content := "p,a,b\nQ,\"" + strings.ReplaceAll(cell, `"`, `""`) + "\",y\nR,x,y\n"
		s, err := openBytes("own.csv", []byte(content), mappedBy("question=p,response_a=a,response_b=b"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := item(t, s, 0).Candidates[0].Text; got != cell || item(t, s, 1).Line != 3+strings.Count(cell, "\n") {
			t.Errorf("%s: %.80q", name, got)
		}
	}
}

func FuzzMapping(f *testing.F) {
	f.Add([]byte(ownCSV), "question=prompt,response_a=out_1,response_b=out_2,label=winner", "A>B=model_a")
	f.Add([]byte("\ufeff"+ownCSV), "question=prompt,options=out_1,options=out_2,label=winner", "")
	f.Add([]byte(utf16Of(binary.BigEndian, ownCSV)), "question=prompt,outputs=out_1,outputs=out_2,ranks=nr", "")
	f.Add([]byte(`{"p":[{"content":"Q"}],"c":["x"],"r":["y","z"]}`), "question=p.-1.content,chosen=c,rejected=r", "")
	f.Add([]byte("p\tw\nQ\t\"4\n"), "question=p,label=w", "A=4")
	f.Add([]byte("\xff\xfe\x00\xd8"), "", "")
	f.Add([]byte(ownCSV), "", "A>B=model_a,B>A=model_b,tie=tie")
	f.Fuzz(func(t *testing.T, data []byte, fields, values string) {
		how := mappedBy(fields)
		if values != "" {
			how.LabelValues = []string{values}
		}
		if fields == "" {
			how.Fields = nil
		}
		s, err := openBytes("fuzz", data, how)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\r\n") && !strings.ContainsAny(fields+values, "\r\n") && !bytes.ContainsAny(data, "\r") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		defer s.Close()
		for i := range s.Len() {
			it, err := s.Item(i)
			if err != nil || it.ID != s.ID(i) || it.Gold >= len(it.Candidates) && it.Gold != NoGold {
				t.Errorf("item %d, %+v: %v", i, it, err)
			}
		}
	})
}
