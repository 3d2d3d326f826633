// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/kube/recall"
)

const (
	// restoreWait is how long a request waits for the manager to restore a short.
	restoreWait = 10 * time.Second
	// restoreTries limits how often a request restores a short that is archived again.
	restoreTries = 3
	// restoreAgain is the Retry-After if the short is not restored by then, or cannot be requested.
	restoreAgain = 5 * time.Second
)

// archivedError means that an operation needs an archived short in the cluster.
type archivedError struct {
	// renders is the number of its renders.
	renders int
}

func (e *archivedError) Error() string { return "the short is archived" }

// liveShort returns a brand's complete short by id, as the cluster has it now. It restores an archived one first: use it
// for operations that change the short or create objects for it.
func (s *Service) liveShort(ctx context.Context, c *operation.Call, id int64) (index.Short, error) {
	// The first restore has no effect if the short is just leaving the cluster.
	for range restoreTries {
		short, err := s.Reader.WholeShort(ctx, c.Namespace(), c.Brand.Name, id)
		if err != nil || short.Archived == nil {
			return short, err
		}
		if err := s.restoreShort(ctx, c.Namespace(), id, len(short.Renders)); err != nil {
			return index.Short{}, err
		}
	}
	return index.Short{}, notRestored(id, errLeaving)
}

// errLeaving means that a short was archived again after its restore.
var errLeaving = errors.New("the short is archived again")

// restoreShort restores an archived short with its posts, and returns when the lists have the short and its renders.
func (s *Service) restoreShort(ctx context.Context, namespace string, id int64, renders int) error {
	changed, stop := s.Reader.Index.Watch(namespace, id)
	defer stop()
	return s.restore(ctx, namespace, id, changed, func() bool {
		short, _, ok := s.Reader.Index.Get(namespace, id)
		return ok && len(short.Renders) >= renders
	})
}

// restorePost restores the short of an archived post with its posts, and returns when the lists have the post. The short
// itself may have been deleted.
func (s *Service) restorePost(ctx context.Context, namespace string, id, short int64) error {
	changed, stop := s.Reader.Posts.Watch(namespace, id)
	defer stop()
	return s.restore(ctx, namespace, short, changed, func() bool { return s.Reader.Posts.Get(namespace, id) != nil })
}

// restore requests that the manager restores a short, and waits until back reports true and the restore is complete.
// changed receives a value when back may report something else.
func (s *Service) restore(
	ctx context.Context, namespace string, short int64, changed <-chan struct{}, back func() bool,
) error {
	if err := s.requestRestore(ctx, namespace, short); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, restoreWait)
	defer cancel()
	for !back() {
		select {
		case <-changed:
		case <-ctx.Done():
			return notRestored(short, ctx.Err())
		}
	}
	err := s.Reader.Archive.Await(ctx, namespace, func(a *v1beta1.Archive) bool {
		return a == nil || !slices.Contains(a.Spec.Restore, short)
	})
	if err != nil {
		return notRestored(short, err)
	}
	return nil
}

// requestRestore adds a short to those that the manager restores.
func (s *Service) requestRestore(ctx context.Context, namespace string, short int64) error {
	err := recall.Request(ctx, s.Live, s.Live, namespace, audit.Guarded, short)
	switch {
	case errors.Is(err, recall.ErrFull):
		return notRestored(short, err)
	case apierrors.IsConflict(err):
		return contended("archive", err)
	}
	return err
}

// notRestored returns the problem of a request that needs a short which is not restored yet. Nothing was changed, and the
// request can be repeated.
func notRestored(short int64, cause error) error {
	return problem.Shed(fmt.Errorf("restoring short %d from the archive: %w", short, cause), restoreAgain).
		Saying("The short is being restored from the archive. Repeat the request.")
}
