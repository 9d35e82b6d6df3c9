package jobs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"

	"gavel/internal/carry/bundle"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
)

// Bundle writes runs of the folder, with their replies, as one file; no link leads out of the folder. Nothing is written
// before all is gathered; one bundle is made at a time.
func (r *Runner) Bundle(ctx context.Context, runs []string, w io.Writer) error {
	select {
	case r.bundling <- struct{}{}:
		defer func() { <-r.bundling }()
	default:
		return requestError(http.StatusConflict, "another bundle is being made: try again later")
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	request := bundle.ExportRequest{Cache: r.opts.Cache, Root: root}
	for _, run := range runs {
		dir := filepath.Join(r.dir, filepath.FromSlash(run))
		m, err := manifestIn(root, run)
		if err == nil && m.Status == judging.Running {
			err = fmt.Errorf("%s is still in progress: bundle it when it has ended", run)
		}
		if err != nil {
			return refused(http.StatusConflict, err)
		}
		request.Runs = append(request.Runs, dir)
	}
	return refused(http.StatusConflict, bundle.Write(ctx, r.within(eval.Quiet{}, nil), request, w))
}

// manifestIn reads run.json of a run, out of whose folder's folder no link leads.
func manifestIn(root *os.Root, run string) (*judging.Manifest, error) {
	f, _, err := disk.Open(root, path.Join(run, judging.ManifestFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return judging.DecodeManifest(f.Name(), f)
}
