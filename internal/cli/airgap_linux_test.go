package cli

import (
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inGap tells the test, run again by itself, that it is in a network of its own.
const inGap = "GAVEL_TEST_AIR_GAP"

// TestAirGap runs gavel where there is no network but loopback, and no way out:
// everything works, and nobody has tried to get out. The kernel counts tries.
func TestAirGap(t *testing.T) {
	if os.Getenv(inGap) == "" {
		inNamespace(t, syscall.CLONE_NEWNET, inGap+"=1")
		return
	}
	loopbackUp(t)
	home(t)
	j := newJudge(t, false, anything)
	ollama := newJudge(t, true, prefersLonger)
	for _, line := range []string{
		"demo", "datasets list", "prompts list",
		"models --base-url " + j.URL,
		"run pairwise --base-url " + j.URL + " --dataset sample --out a",
		"run reversed --base-url " + ollama.URL + " --model tiny --dataset sample --limit 5 --out b",
		"run self-reference --base-url " + j.URL + " --dataset sample-number --sample 2 --agents sim:coin --out c",
		"run multi-option --base-url " + j.URL + " --dataset sample-options --limit 3 --out d",
		"score a b c d", "compare a b", "report a c d --out r.html", "bundle export a --out x.tar", "bundle import x.tar", "replay a --out e", "cache stats",
	} {
		mustCall(t, strings.Fields(line)...)
	}
	call(t, "models") // looks for servers on the usual ports, finds none
	call(t, "doctor", "--base-url", j.URL, "--timeout", "20s")
	if n := triesToGetOut(t); n != 0 {
		t.Errorf("gavel tried %d times to get out", n)
	}
	if c, err := net.DialTimeout("tcp", "192.0.2.1:9", time.Second); err == nil { // does the kernel count?
		c.Close()
		t.Error("there is a way out")
	}
	if triesToGetOut(t) == 0 {
		t.Error("the kernel does not count tries to get out: the test says nothing")
	}
}

func loopbackUp(t *testing.T) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
}

// triesToGetOut counts the packets and connections had no route.
func triesToGetOut(t *testing.T) int {
	t.Helper()
	n := 0
	lines := strings.Split(read(t, "/proc/net/snmp"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		for k, name := range names {
			if name == "OutNoRoutes" {
				n += atoi(t, values[k])
			}
		}
	}
	for line := range strings.Lines(read(t, "/proc/net/snmp6")) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "Ip6OutNoRoutes" {
			n += atoi(t, f[1])
		}
	}
	return n
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
