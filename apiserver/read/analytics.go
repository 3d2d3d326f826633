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

// Analytics is what is known of a social account, by the account's name. ErrNotFound says that nothing was ever read or asked for.
func (r *Reader) Analytics(ctx context.Context, namespace, name string) (*v1beta1.AccountAnalytics, error) {
	n := &v1beta1.AccountAnalytics{}
	return n, r.get(ctx, namespace, name, n)
}

// LiveAnalytics is Analytics as the cluster has it now, whoever wrote it.
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

// AnalyticsDocument is the document of an account's analytics with the status that names it, which is a newer one than n where a
// refresh has put another document in the place of n's. The document is nil where there never was one. It is shared and must not be
// changed. The error is ErrLost when there was one and it cannot be read any more.
func (r *Reader) AnalyticsDocument(ctx context.Context, n *v1beta1.AccountAnalytics) (*analytics.Orders, *v1beta1.AccountAnalytics, error) {
	d, err := r.document(ctx, n)
	if !errors.Is(err, ErrLost) {
		return d, n, err
	}
	// A refresh removes the document that it replaces, and the cache hears of the new one a moment later.
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
	// Nobody but the controllers writes a status; still no account is ever shown what lies in another's folder.
	if !strings.HasPrefix(key, "analytics/"+n.Namespace+"/") || strings.Contains(key, "..") {
		return nil, fmt.Errorf("%w: %q is not a key of the account", ErrLost, key)
	}
	return r.Documents.Get(ctx, key)
}
