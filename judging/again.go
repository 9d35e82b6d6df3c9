package judging

import (
	"context"

	"gavel/datasets"
)

// Again is a judgment of a run that is asked for once more.
type Again struct {
	Manifest *Manifest // of the run
	Asker    Asker     // how it is asked now
	Item     datasets.Item
	Shown    Presentation
}

// edited asks with other words than its protocol's, and reads replies as its protocol does.
type edited struct {
	Asker
	system, user string
}

// Edited is a protocol's Asker whose every prompt has these texts; what follows the first turn stays.
func Edited(p Asker, system, user string) Asker { return edited{Asker: p, system: system, user: user} }

func (e edited) Prompt(item datasets.Item, s Presentation) Prompt {
	p := e.Asker.Prompt(item, s)
	p.System, p.User = e.system, e.user
	return p
}

// Once asks for one judgment and writes nothing. A call that fails is a record; the error is that of the context.
func (j *Job) Once(ctx context.Context, item datasets.Item, s Presentation) (*Record, error) {
	return j.judge(ctx, item, s, 0)
}
