package cluster

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// object is one of Kubernetes' API, or a part of one.
type object = map[string]any

// kubernetes writes a manifest: the suite's file, the Job of its shards and the Job that merges them. The YAML library
// writes every value, so that no text can end early or become a key.
func (j Job) kubernetes(w io.Writer) error {
	_, err := fmt.Fprintf(w,
		"# The suite %s in %d shards, by \"gavel cluster kubernetes\", for Kubernetes 1.29 or later.\n"+
			"# Read it, and change what is otherwise on your cluster: kubectl apply -f FILE\n", j.Label(), j.Tasks)
	if err != nil {
		return err
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	suite := object{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   object{"name": j.Label() + "-suite"},
		"data":       object{j.Key(): text(j.Text)},
	}
	for _, doc := range []object{suite, j.shards(), j.merge()} {
		if err := enc.Encode(doc); err != nil {
			return err
		}
	}
	return enc.Close()
}

// shards is the Job with a pod for each shard.
func (j Job) shards() object {
	gavel := object{
		"name":         "gavel",
		"image":        text(j.Image),
		"args":         []string{"suite", "run", "/suite/" + j.Key(), "--shard", fmt.Sprintf("auto/%d", j.Tasks), "--yes"},
		"workingDir":   noted("/work", "paths of the suite begin here"),
		"volumeMounts": []object{{"name": "suite", "mountPath": "/suite"}, {"name": "work", "mountPath": "/work"}},
	}
	pod := object{
		"restartPolicy":         "Never",
		"activeDeadlineSeconds": noted(j.Seconds(), "of one pod, from when its node has it"),
		"containers":            []object{gavel},
		"volumes": []object{
			{"name": "suite", "configMap": object{"name": j.Label() + "-suite"}},
			{"name": noted("work", "all pods write to it: its access mode is ReadWriteMany"), "persistentVolumeClaim": claim},
		},
	}
	var env []object
	if j.Server != "" {
		pod["initContainers"] = []object{j.server()}
		env = append(env, object{"name": "OPENAI_BASE_URL", "value": "http://127.0.0.1:8080"})
	}
	for _, key := range j.Keys {
		secret := object{"name": noted("gavel", "kubectl create secret generic gavel"), "key": text(key)}
		env = append(env, object{"name": text(key), "valueFrom": object{"secretKeyRef": secret}})
	}
	if env != nil {
		gavel["env"] = env
	}
	return job(j.Label(), object{
		"completionMode":       noted("Indexed", "each pod is told its shard: JOB_COMPLETION_INDEX"),
		"completions":          j.Tasks,
		"parallelism":          noted(j.Tasks, "as many at once as there are GPUs"),
		"backoffLimitPerIndex": noted(6, "a pod that fails is started again, and goes on"),
		"podReplacementPolicy": noted("Failed", "only once it has ended, so that no two write to one folder"),
		"template":             object{"spec": pod},
	})
}

// server is the container that a pod's judge is served from.
func (j Job) server() object {
	return object{
		"name":          noted("server", "one for each pod; its judge has no base-url in the suite"),
		"image":         text(j.ServerImage),
		"command":       []any{noted("sh", "the probe needs it on all interfaces: --host 0.0.0.0"), "-c", text(j.Server)},
		"restartPolicy": noted("Always", "beside the container of gavel, until that has ended"),
		"env":           []object{{"name": "PORT", "value": "8080"}},
		"startupProbe":  object{"tcpSocket": object{"port": 8080}, "periodSeconds": 5, "failureThreshold": 240},
		"resources":     object{"limits": object{"nvidia.com/gpu": 1}},
	}
}

// merge is the Job that makes one run of the shards.
func (j Job) merge() object {
	gavel := object{
		"name":         "gavel",
		"image":        text(j.Image),
		"args":         texts(slices.Concat([]string{"merge", j.Out}, j.Shards(), []string{"--cache=cache"})...),
		"workingDir":   "/work",
		"volumeMounts": []object{{"name": "work", "mountPath": "/work"}},
	}
	pod := object{
		"restartPolicy": "OnFailure",
		"containers":    []object{gavel},
		"volumes":       []object{{"name": "work", "persistentVolumeClaim": claim}},
	}
	return job(j.Label()+"-merge", object{
		"backoffLimit":          noted(100000, "it fails, and is tried again every few minutes, until all shards are there"),
		"activeDeadlineSeconds": noted(2592000, "thirty days: nobody can tell how long shards wait for GPUs"),
		"template":              object{"spec": pod},
	})
}

var claim = object{"claimName": "gavel"}

func job(name string, spec object) object {
	return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": name}, "spec": spec}
}

// noted is a word or a number of gavel's own with a comment behind it.
func noted(value any, comment string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(value), LineComment: comment}
}

// text is what somebody else wrote. It stands between quotes where readers of YAML do not all take it alike: some end a
// line at U+2028, and yaml.v3 loses the empty line that a block begins with.
func text(words string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: words}
	switch {
	case strings.TrimLeft(words, " \t\n") != words, strings.ContainsFunc(words, unlike):
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(words, "\n"):
		n.Style = yaml.LiteralStyle
	}
	return n
}

func unlike(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }

func texts(words ...string) (list []*yaml.Node) {
	for _, w := range words {
		list = append(list, text(w))
	}
	return list
}
