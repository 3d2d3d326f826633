// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/problem"
)

// busyWait is what a caller is told to wait when there are too many.
const busyWait = time.Second

// enter lets a call in, or refuses it before anything is done for it. A visitor's calls were let in with the visitor: only whether they
// can change something is looked at.
func (h *Handler) enter(ctx context.Context, r *http.Request) (leave func(), err error) {
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	if errand(ctx) == nil {
		leave, err = h.Gate.Enter(changes)
	} else {
		leave = func() {}
		if changes {
			err = h.Gate.Changes()
		}
	}
	if err != nil {
		return nil, shed(err)
	}
	return leave, nil
}

func shed(err error) error {
	if errors.Is(err, pressure.ErrAway) {
		return problem.Shed(err, problem.RetryAwayAfter)
	}
	return problem.Shed(err, busyWait)
}

// turnAway answers a call that was not let in. It asks nobody anything: what ceilings are left is not told.
func (h *Handler) turnAway(c *call, err error) int {
	return h.tell(c, problem.From(err, c.id))
}
