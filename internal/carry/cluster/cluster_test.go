package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// hostile is a suite whose words would be commands, keys or ends of texts.
func hostile(server string) Job {
	return Job{
		Name: "a \"suite\"\nrm -rf $HOME; - x: y", File: "my suites/it's $(one).yaml", Text: "  # indented: first\nname: x\n---\n\tjudges: `date`\n", Out: "runs/it's; $(one)",
		Dir: "/home/a b", Tasks: 12, Time: 25*time.Hour + 90*time.Minute, Server: server, Image: "gavel:1", ServerImage: "llama:2",
	}
}

func written(t *testing.T, j Job, engine string) string {
	t.Helper()
	var b bytes.Buffer
	if err := j.Write(&b, engine); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSlurm(t *testing.T) {
	short := hostile("")
	short.Time = 20 * time.Second
	if script := written(t, short, "slurm"); !strings.Contains(script, "--time=0-00:01:00") {
		t.Errorf("a task of 20 s:\n%s", script)
	}
	for _, server := range []string{"", "llama-server -m m.gguf --port $PORT", "llama-server --port $PORT # one GPU"} {
		script := written(t, hostile(server), "slurm")
		for _, line := range []string{"#SBATCH --array=1-12\n", "#SBATCH --time=1-02:30:00", "#SBATCH --requeue", "#SBATCH --open-mode=append", "--dependency=\"afterany:", `gavel suite run 'my suites/it'\''s $(one).yaml' --shard auto/12 --yes`, "cd '/home/a b'"} {
			if !strings.Contains(script, line) {
				t.Errorf("without %s:\n%s", line, script)
			}
		}
		if strings.Contains(script, "rm -rf $HOME") || strings.Contains(script, "PORT") != (server != "") {
			t.Errorf("the script:\n%s", script)
		}
		for _, check := range [][]string{{"bash", "-n"}, {"shellcheck", "--severity=warning", "-"}} {
			if _, err := exec.LookPath(check[0]); err != nil {
				t.Logf("left out: no %s", check[0])
				continue
			}
			cmd := exec.Command(check[0], check[1:]...)
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s\n%s", check, err, out, script)
			}
		}
	}
}

// TestKubernetes holds the manifest to the fields of ConfigMap v1 and of Job batch/v1, as the reference of its API has them.
func TestKubernetes(t *testing.T) {
	fields := map[string]string{
		"": "apiVersion kind metadata data spec", "metadata": "name", "spec": "completionMode completions parallelism backoffLimit backoffLimitPerIndex podReplacementPolicy activeDeadlineSeconds template",
		"template": "spec", "template.spec": "restartPolicy activeDeadlineSeconds initContainers containers volumes", "volumes": "name configMap persistentVolumeClaim",
		"containers": "name image args command workingDir env volumeMounts restartPolicy startupProbe resources",
	}
	only := func(of string, m map[string]any) map[string]any {
		t.Helper()
		for key := range m {
			if !slices.Contains(strings.Fields(fields[of]), key) {
				t.Errorf("%q has a field %s", of, key)
			}
		}
		return m
	}
	for _, server := range []string{"", `llama-server --host 0.0.0.0 --alias "m" --port $PORT`} {
		job := hostile(server)
		job.Keys = []string{"GPU_KEY"}
		dec := yaml.NewDecoder(strings.NewReader(written(t, job, "kubernetes")))
		var docs []map[string]any
		for {
			var doc map[string]any
			if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, only("", doc))
		}
		if len(docs) != 3 || docs[0]["kind"] != "ConfigMap" || docs[1]["kind"] != "Job" || docs[2]["apiVersion"] != "batch/v1" {
			t.Fatalf("%d documents: %v", len(docs), docs)
		}
		if data := docs[0]["data"].(map[string]any); data["it-s-one-.yaml"] != job.Text {
			t.Errorf("the suite's file: %q", data)
		}
		for i, doc := range docs[1:] {
			only("metadata", doc["metadata"].(map[string]any))
			spec := only("spec", doc["spec"].(map[string]any))
			pod := only("template.spec", only("template", spec["template"].(map[string]any))["spec"].(map[string]any))
			for _, v := range pod["volumes"].([]any) {
				only("volumes", v.(map[string]any))
			}
			gavel := only("containers", pod["containers"].([]any)[0].(map[string]any))
			args := fmt.Sprint(gavel["args"])
			if i == 0 {
				if env := fmt.Sprint(gavel["env"]); !strings.Contains(env, "map[name:GPU_KEY valueFrom:map[secretKeyRef:map[key:GPU_KEY name:gavel]]]") || strings.Contains(env, "OPENAI_BASE_URL") != (server != "") {
					t.Errorf("its environment: %s", env)
				}
				if spec["completionMode"] != "Indexed" || spec["completions"] != 12 || pod["restartPolicy"] != "Never" || spec["podReplacementPolicy"] != "Failed" || args != "[suite run /suite/it-s-one-.yaml --shard auto/12 --yes]" {
					t.Errorf("the array: %v", spec)
				}
				if pod["activeDeadlineSeconds"] != 95400 || spec["activeDeadlineSeconds"] != nil { // those of one task
					t.Errorf("a pod may take %v s, the Job %v", pod["activeDeadlineSeconds"], spec["activeDeadlineSeconds"])
				}
				if (pod["initContainers"] != nil) != (server != "") {
					t.Errorf("a server: %v", pod["initContainers"])
				} else if server != "" {
					beside := only("containers", pod["initContainers"].([]any)[0].(map[string]any))
					if beside["restartPolicy"] != "Always" || fmt.Sprint(beside["command"]) != "[sh -c "+server+"]" {
						t.Errorf("the server: %v", beside)
					}
				}
			} else if list := gavel["args"].([]any); len(list) != 15 || list[1] != job.Out || list[13] != job.Out+"_shard-12-of-12" {
				t.Errorf("the merge: %v", list)
			}
		}
	}
}

// manifest is what a YAML reader finds in a job's manifest.
func manifest(t *testing.T, j Job) (suite, shards, merge map[string]any) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(written(t, j, "kubernetes")))
	for _, doc := range []*map[string]any{&suite, &shards, &merge} {
		if err := dec.Decode(doc); err != nil {
			t.Fatal(err)
		}
	}
	var more any
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		t.Fatalf("more than three documents: %v, %v", more, err)
	}
	return suite, shards, merge
}

// at goes down keys and numbers.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

// TestManifestHoldsHostileWordsAsValues: a name of a variable added keys to the manifest, and what YAML takes for the end of
// a line ended the suite's text early.
func TestManifestHoldsHostileWordsAsValues(t *testing.T) {
	hostile := []string{
		"GPU_KEY, value: /tmp/evil.so}\n            - {name: LD_PRELOAD", "K: V", "null", "0x10", "1:30", "yes", "# no", "- a", "*a", "!!int 3", "'", "\"",
		"a\rb: c\n", "a\u0085b: c\n", "a\u2028b: c\n", "a\u2029---\nkind: Pod\n", "\ufeffname: x\n", "\tname: x\n", "\n\n  a\n b\n", "a \n \n", "a\n\n\n", "---\n", "...\n",
		"a\x1b[2Jb\n", "名: 裁判\n", " ", "\n", "{{.Text}}\n", "$(PORT)",
	}
	for _, words := range hostile {
		j := Job{
			Name: words, File: words, Text: words, Out: words, Dir: words, Tasks: 2, Time: time.Hour, Server: words,
			Image: words, ServerImage: words, Keys: []string{words},
		}
		suite, shards, merge := manifest(t, j)
		if at(suite, "data", j.Key()) != words || len(suite) != 4 {
			t.Errorf("%q: the suite's file: %q", words, suite)
		}
		pod := at(shards, "spec", "template", "spec")
		gavel := at(pod, "containers", 0)
		key := map[string]any{"name": words, "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "gavel", "key": words}}}
		env := at(gavel, "env").([]any)
		if len(env) != 2 || !reflect.DeepEqual(env[1], key) {
			t.Errorf("%q: the environment: %q", words, env)
		}
		for _, got := range []any{
			at(gavel, "image"), at(pod, "initContainers", 0, "image"), at(pod, "initContainers", 0, "command", 2),
			at(merge, "spec", "template", "spec", "containers", 0, "args", 1), at(merge, "spec", "template", "spec", "containers", 0, "image"),
		} {
			if got != words {
				t.Errorf("%q became %q", words, got)
			}
		}
		if len(shards) != 4 || len(merge) != 4 || len(pod.(map[string]any)) != 5 || len(gavel.(map[string]any)) != 6 {
			t.Errorf("%q added a key:\n%v\n%v", words, shards, merge)
		}
		if strings.ContainsAny(written(t, j, "kubernetes"), "\r\u0085\u2028\u2029") {
			t.Errorf("%q: a line ends for some readers alone", words)
		}
	}
}

func FuzzManifestKeepsTexts(f *testing.F) {
	f.Add("name: x\n", "runs/x", "llama-server")
	f.Fuzz(func(t *testing.T, text, out, server string) {
		if !utf8.ValidString(text) || !utf8.ValidString(out) || !utf8.ValidString(server) {
			t.Skip("a suite is UTF-8")
		}
		j := Job{File: "s.yaml", Text: text, Out: out, Tasks: 1, Server: server + "x"}
		suite, shards, merge := manifest(t, j)
		got := []any{
			at(suite, "data", "s.yaml"), at(merge, "spec", "template", "spec", "containers", 0, "args", 1),
			at(shards, "spec", "template", "spec", "initContainers", 0, "command", 2),
		}
		if want := []any{text, out, server + "x"}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
