// Package site copies the pages of a server into files, which any browser opens without one.
//
// It asks the server's handler for its first page and for every page that is linked to, as far as a copy goes (place.go),
// and makes links lead from file to file (page.go). It knows nothing of what pages say.
package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"

	"gavel/internal/disk"
)

// Marker is the file in a site's folder that lists its files. A folder without it is never written into.
const Marker = "gavel-site.json"

// passing is how the folder is called in which a site is made.
const passing = ".gavel-site-"

// Most pages that a site may have, and most comparisons and pages of their items.
const (
	mostPages    = 100_000
	mostCompares = 400
)

// Request says what is copied, and how much of it.
type Request struct {
	Handler http.Handler // answers everything without a token, as [gavel/server.Options.Static] says
	Dir     string
	Items   int // pages of items, of each run at most
}

// Written is what a site came to.
type Written struct{ Files, Pages int }

// contents of the marker.
type contents struct {
	Site  int      `json:"gavel_site"` // version of this file
	Files []string `json:"files"`
}

// copying is a copy that is being made.
type copying struct {
	Request
	ctx   context.Context
	to    *os.Root          // where files are made before the site is replaced
	files map[string]string // by canonical address
	order []string          // addresses, in the order they were met
	used  map[string]int    // pages of a bounded kind, by what bounds them
}

// Write copies a site into a folder: a new or empty one, or one with an earlier site, whose files are replaced once all of
// the new one is there. Other files of the folder stay.
func Write(ctx context.Context, r Request) (w Written, err error) {
	disk.SweepTempDirs(r.Dir, passing)
	old, err := earlier(r.Dir)
	if err != nil {
		return w, err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return w, err
	}
	part, remove, err := disk.TempDir(r.Dir, passing)
	if err != nil {
		return w, err
	}
	defer remove()
	c := &copying{Request: r, ctx: ctx, files: map[string]string{}, used: map[string]int{}}
	if c.to, err = os.OpenRoot(part); err != nil {
		return w, err
	}
	err = c.all()
	c.to.Close()
	if err != nil {
		return w, err
	}
	var files []string
	for _, f := range c.files {
		files = append(files, f)
		if path.Ext(f) == ".html" {
			w.Pages++
		}
	}
	slices.Sort(files)
	w.Files = len(files)
	return w, replace(r.Dir, filepath.Base(part), old, files)
}

// earlier are the files of the site that is in a folder.
func earlier(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c contents
	text, err := os.ReadFile(filepath.Join(dir, Marker))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil || c.Site < 1 {
		return nil, fmt.Errorf("%s: exists and is not a site that gavel wrote: choose another folder", dir)
	}
	return slices.DeleteFunc(c.Files, func(f string) bool { return !fs.ValidPath(f) || f == "." }), nil
}

// replace puts new files in the place of old ones. Whenever it is cut off, the marker lists all that is there.
func replace(dir, part string, old, files []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	gone := slices.DeleteFunc(slices.Clone(old), func(f string) bool { _, stays := slices.BinarySearch(files, f); return stays })
	if err := mark(root, append(slices.Clone(files), gone...)); err != nil {
		return err
	}
	for _, f := range gone {
		if err := root.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for at := path.Dir(f); at != "." && root.Remove(at) == nil; at = path.Dir(at) {
		}
	}
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f), 0o755); err != nil {
			return err
		}
		if err := root.Rename(path.Join(part, f), f); err != nil {
			return err
		}
	}
	return mark(root, files)
}

func mark(root *os.Root, files []string) error {
	text, err := json.MarshalIndent(contents{1, files}, "", "  ")
	if err != nil {
		return err
	}
	return root.WriteFile(Marker, append(text, '\n'), 0o644)
}

// all copies the first page, and what it leads to.
func (c *copying) all() error {
	c.admit(place{address: "/", file: "index.html"})
	for i := 0; i < len(c.order); i++ {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.copy(c.order[i]); err != nil {
			return err
		}
	}
	return nil
}

// admit takes a page into the site, and tells whether it is in it.
func (c *copying) admit(p place) bool {
	if _, is := c.files[p.address]; is {
		return true
	}
	if most := c.most(p); len(c.order) >= mostPages || p.bound != "" && c.used[p.bound] >= most {
		return false
	}
	if p.bound != "" {
		c.used[p.bound]++
	}
	c.files[p.address] = p.file
	c.order = append(c.order, p.address)
	return true
}

// copy writes one page or file.
func (c *copying) copy(address string) error {
	body, kind, err := c.ask(address)
	if err != nil {
		return err
	}
	file := c.files[address]
	if path.Ext(file) == ".html" && path.Base(address) != reportFile {
		if kind != "text/html; charset=utf-8" {
			return fmt.Errorf("%s is no page but %s", address, kind)
		}
		if body, err = c.rewritten(address, body); err != nil {
			return err
		}
	}
	if err := c.to.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	return c.to.WriteFile(file, body, 0o644)
}

// ask is the handler's answer. A page that says that something is damaged is a page; what the server could not do ends it.
func (c *copying) ask(address string) ([]byte, string, error) {
	r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, "http://127.0.0.1"+address, nil)
	if err != nil {
		return nil, "", err
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	c.Handler.ServeHTTP(w, r)
	if w.status >= 500 || w.status/100 == 3 {
		return nil, "", fmt.Errorf("the page %s cannot be made: status %d", address, w.status)
	}
	return w.body.Bytes(), w.header.Get("Content-Type"), nil
}

// answer keeps what a handler says.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// resolve is where a link of a page leads, within this site; ok is false where it leads elsewhere.
func resolve(from, link string) (*url.URL, bool) {
	base, err := url.Parse(from)
	if err != nil {
		return nil, false
	}
	u, err := base.Parse(link)
	return u, err == nil && u.Scheme == "" && u.Host == "" && u.Opaque == ""
}
