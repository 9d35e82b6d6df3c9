package cluster

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// hostile is a suite whose words would be commands.
func hostile(server string) Job {
	return Job{
		Name: "a \"suite\"\nrm -rf $HOME; - x: y", File: "my suites/it's $(one).yaml", Out: "runs/it's; $(one)",
		Dir: "/home/a b", Tasks: 12, Time: 25*time.Hour + 90*time.Minute, Server: server,
	}
}

func written(t *testing.T, j Job) string {
	t.Helper()
	var b bytes.Buffer
	if err := j.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSlurm(t *testing.T) {
	short := hostile("")
	short.Time = 20 * time.Second
	if script := written(t, short); !strings.Contains(script, "--time=0-00:01:00") {
		t.Errorf("a task of 20 s:\n%s", script)
	}
	for _, server := range []string{"", "llama-server -m m.gguf --port $PORT", "llama-server --port $PORT # one GPU"} {
		script := written(t, hostile(server))
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
