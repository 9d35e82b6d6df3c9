package jobs

import (
	"context"
	"net/http"

	"gavel/internal/eval"
	"gavel/judging"
)

// askAtOnce is how many judgments may be asked for again at once.
const askAtOnce = 2

// AskAgain asks the judge of a run for one judgment, at the first of its servers, which must be offered here.
func (r *Runner) AskAgain(ctx context.Context, a judging.Again) (*judging.Record, error) {
	select {
	case r.asks <- struct{}{}:
		defer func() { <-r.asks }()
	default:
		return nil, requestError(http.StatusConflict,
			"%d judgments are being asked for already: wait for one to end", askAtOnce)
	}
	was, ok := eval.RequestOf(a.Manifest)
	if !ok {
		return nil, requestError(http.StatusConflict, "the run was imported: gavel does not know the server of its judge")
	}
	ids, err := r.judgeAt(ctx, was.Endpoint, was.Model)
	if err != nil {
		return nil, requestError(http.StatusConflict, "the judge cannot be asked: %v", err)
	}
	was.Endpoint, err = r.asked(ctx, ids[:1])
	if err != nil {
		return nil, requestError(http.StatusConflict, "the judge cannot be asked: %v", err)
	}
	rec, err := r.within(&notes{r: r, say: func(string) {}}, nil).AskAgain(ctx, was, a)
	if err != nil {
		return nil, requestError(http.StatusBadGateway, "the judge did not answer: %v", err)
	}
	return rec, nil
}
