package judging

import (
	"strings"
	"testing"
)

func TestUnknownNames(t *testing.T) {
	if _, err := ProtocolNamed("pairwize"); err == nil || !strings.Contains(err.Error(), "pairwise, reversed") {
		t.Errorf("unknown protocol: %v", err)
	}
	if _, err := comparison("x").Template("soup"); err == nil || !strings.Contains(err.Error(), "sop, direct, arena-hard") {
		t.Errorf("unknown prompt: %v", err)
	}
	if _, err := comparison("x").ReadTemplateFile("mine.txt"); err == nil || !strings.Contains(err.Error(), "mine.txt: x takes no prompt of one's own: it is one of sop") {
		t.Errorf("a prompt of one's own: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was taken twice")
		}
	}()
	Register(comparison("pairwise"))
}
