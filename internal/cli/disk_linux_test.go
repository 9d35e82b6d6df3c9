package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// onDisks is the gavel that a test uses which runs in a namespace with disks.
const onDisks = "GAVEL_TEST_ON_DISKS"

// onOwnDisks runs a test again by itself in a namespace in which it may mount
// disks, and tells whether this is that run. Where the kernel allows none, the
// test is skipped.
func onOwnDisks(t *testing.T) bool {
	t.Helper()
	if os.Getenv(onDisks) != "" {
		return true
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	inNamespace(t, syscall.CLONE_NEWNS, onDisks+"="+path)
	return false
}

// inNamespace makes a test again in a process of its own, in a namespace where it is root; a variable tells it so.
func inNamespace(t *testing.T, kind uintptr, variable string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	child.Dir, child.Env = sourceDir, append(os.Environ(), variable)
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | kind,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := child.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("this machine allows no such namespace: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// smallDisk is a small disk of a test.
type smallDisk struct {
	t   testing.TB
	dir string
}

// More than anything here takes; what is not written takes no memory.
const (
	diskSize  = 4 << 30
	manyFiles = 100_000
)

func newDisk(t testing.TB, dir string) *smallDisk {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,nr_inodes=%d", int64(diskSize), manyFiles)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return &smallDisk{t, dir}
}

// empty leaves nothing on the disk, and all the space there is.
func (d *smallDisk) empty() {
	d.t.Helper()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(d.dir, e.Name())); err != nil {
			d.t.Fatal(err)
		}
	}
	d.leave(diskSize)
}

// leave makes the disk as large as what is on it and so many bytes more.
func (d *smallDisk) leave(free int64) {
	d.t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(d.dir, &st); err != nil {
		d.t.Error(err)
		return
	}
	size := max(int64(st.Blocks-st.Bfree)*st.Bsize+free, st.Bsize)
	d.remount(fmt.Sprintf("size=%d,nr_inodes=%d", size, manyFiles))
}

// noMoreFiles leaves space for bytes, and none for files.
func (d *smallDisk) noMoreFiles() {
	d.t.Helper()
	n := 0
	filepath.WalkDir(d.dir, func(string, fs.DirEntry, error) error { n++; return nil })
	d.remount(fmt.Sprintf("nr_inodes=%d", n))
}

func (d *smallDisk) remount(options string) {
	d.t.Helper()
	if err := unix.Mount("tmpfs", d.dir, "tmpfs", unix.MS_REMOUNT, options); err != nil {
		d.t.Errorf("%s: %s: %v", d.dir, options, err)
	}
}

// ranOnDisk is a command that has ended.
type ranOnDisk struct {
	t              *testing.T
	line           string
	stdout, stderr string
	code           int
}

// well checks that it ended well.
func (r ranOnDisk) well() ranOnDisk {
	r.t.Helper()
	if r.code != exitOK {
		r.t.Errorf("gavel %s: exit status %d\n%.3000s", r.line, r.code, r.stderr)
	}
	return r
}

// fails checks that it failed with one sentence, which has these words and is
// the last that it said.
func (r ranOnDisk) fails(words ...string) {
	r.t.Helper()
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	last := lines[len(lines)-1]
	if r.code != exitError || !strings.HasPrefix(last, "gavel: ") || strings.Count(r.stderr, "no space left")+strings.Count(r.stderr, "the disk has") != 1 {
		r.t.Errorf("gavel %s: exit status %d\n%.3000s", r.line, r.code, r.stderr)
	}
	if strings.Count(last, "run the same command again") > 1 {
		r.t.Errorf("gavel %s says twice how to go on: %s", r.line, last)
	}
	for _, w := range words {
		if strings.Count(last, w) != 1 {
			r.t.Errorf("gavel %s does not say %q once: %s", r.line, w, last)
		}
	}
}

// ends checks how it ended: well, or with words.
func (r ranOnDisk) ends(words []string) {
	r.t.Helper()
	if words == nil {
		r.well()
	} else {
		r.fails(words...)
	}
}

// gavelOnDisk runs a command line in a process of its own: what a full disk may
// do to one is worse than an error.
func gavelOnDisk(t *testing.T, args ...string) (r ranOnDisk) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv(onDisks), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return ranOnDisk{t, strings.Join(args, " "), out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
