// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
)

// writeTries limits how often a change is applied again after a conflicting write.
const writeTries = 8

// present reads an object of the cache from the API server into now. The error is a 404 if the object is deleted, being
// deleted, or was replaced by another one. what names the kind in messages.
func (s *Service) present(ctx context.Context, cached, now client.Object, what string) error {
	err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(cached), now)
	if apierrors.IsNotFound(err) || err == nil && (read.ID(now) != read.ID(cached) || now.GetDeletionTimestamp() != nil) {
		return problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return fmt.Errorf("reading a %s: %w", what, err)
	}
	return nil
}

// changed reads an object, applies a change of its spec to a copy, and writes the copy. A conflicting write is repeated
// with the object as it is then, so that no other change is lost. An object that is the same after the change is not
// written. what names the kind in messages, and details are those of a conflict with a manifest.
func changed[O client.Object](
	ctx context.Context, s *Service, what string, details problem.Details, fetch func() (O, error), change func(O) error,
) (O, error) {
	return written(ctx, s, what, fetch, change, func(now O) error { return undeclaredObject(now, what, details) })
}

// written is like changed, with a check of its own of the object as it was before a write; nil for none.
func written[O client.Object](
	ctx context.Context, s *Service, what string, fetch func() (O, error), change func(O) error, check func(O) error,
) (O, error) {
	var none O
	var last error
	for range writeTries {
		now, err := fetch()
		if err != nil {
			return none, err
		}
		next := now.DeepCopyObject().(O)
		if err := change(next); err != nil {
			return none, err
		}
		if equality.Semantic.DeepEqual(now, next) {
			return now, nil
		}
		if check != nil {
			if err := check(now); err != nil {
				return none, err
			}
		}
		err = s.Client.Patch(ctx, next, audit.Guarded(now))
		switch {
		case err == nil:
			return next, nil
		case apierrors.IsNotFound(err):
			return none, problem.New(catalog.NotFound, nil)
		case apierrors.IsInvalid(err):
			return none, notTaken(err)
		case !apierrors.IsConflict(err):
			return none, fmt.Errorf("changing a %s: %w", what, err)
		}
		last = err
	}
	return none, contended(what, last)
}

// contended returns the problem of a change whose writes all conflicted with those of other requests. Nothing was
// changed, and the request can be repeated. what names the kind in messages.
func contended(what string, last error) error {
	return problem.Shed(fmt.Errorf("changing a %s: every attempt failed: %w", what, last), time.Second)
}
