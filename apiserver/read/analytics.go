// SPDX-License-Identifier: Apache-2.0

package read

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
)

// Analytics returns the analytics of a social account, by the account's name. ErrNotFound means that they were never
// read or requested.
func (r *Reader) Analytics(ctx context.Context, namespace, name string) (*v1beta1.AccountAnalytics, error) {
	n := &v1beta1.AccountAnalytics{}
	return n, r.get(ctx, namespace, name, n)
}

// LiveAnalytics is like Analytics, but reads the cluster and so includes writes of other processes.
func (r *Reader) LiveAnalytics(ctx context.Context, namespace, name string) (*v1beta1.AccountAnalytics, error) {
	n := &v1beta1.AccountAnalytics{}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, n)
	if apierrors.IsNotFound(err) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading the analytics of an account: %w", err)
	}
	return n, nil
}

// AnalyticsDocument returns the document of an account's analytics, and the object whose status refers to it. That
// object is newer than n if a refresh has replaced n's document. The document is nil if there never was one. It is
// shared and must not be changed. The error is ErrLost if the document can no longer be read.
func (r *Reader) AnalyticsDocument(ctx context.Context, n *v1beta1.AccountAnalytics) (*analytics.Orders, *v1beta1.AccountAnalytics, error) {
	d, err := r.document(ctx, n)
	if !errors.Is(err, ErrLost) {
		return d, n, err
	}
	// A refresh deletes the document that it replaces, and the cache receives the new status a moment later.
	now, liveErr := r.LiveAnalytics(ctx, n.Namespace, n.Name)
	switch {
	case errors.Is(liveErr, ErrNotFound):
		return nil, n, err
	case liveErr != nil:
		return nil, n, liveErr
	case now.Status.DocumentKey == n.Status.DocumentKey:
		return nil, n, err
	}
	d, err = r.document(ctx, now)
	return d, now, err
}

func (r *Reader) document(ctx context.Context, n *v1beta1.AccountAnalytics) (*analytics.Orders, error) {
	key := n.Status.DocumentKey
	if key == "" {
		return nil, nil
	}
	// Only the controllers write statuses. As a safeguard, an account never gets a document from another account's
	// folder.
	if !strings.HasPrefix(key, "analytics/"+n.Namespace+"/") || strings.Contains(key, "..") {
		return nil, fmt.Errorf("%w: %q is not a key of the account", ErrLost, key)
	}
	return r.Documents.Get(ctx, key)
}
