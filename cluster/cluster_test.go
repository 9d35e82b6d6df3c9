package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// hostile is a suite whose words would be commands, keys or ends of texts.
func hostile(server string) Job {
	return Job{
		Name: "a \"suite\"\nrm -rf $HOME; - x: y", File: "my suites/it's $(one).yaml", Text: "  # indented: first\nname: x\n---\n\tjudges: `date`\n", Out: "runs/it's; $(one)",
		Dir: "/home/a b", Tasks: 12, Time: 25*time.Hour + 90*time.Minute, Why: "the plan says so", Server: server, Image: "gavel:1", ServerImage: "llama:2",
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
