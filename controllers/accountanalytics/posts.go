// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/social/analytics"
)

// metricsMaxAge is the maximum age of Posts whose status gets metrics.
const metricsMaxAge = 30 * 24 * time.Hour

// posts returns the published Posts of the account. They belong to the cache: do not modify them.
func (r *Reconciler) posts(ctx context.Context, a *v1beta1.AccountAnalytics) ([]v1beta1.Post, error) {
	var list v1beta1.PostList
	if err := r.Client.List(ctx, &list, client.InNamespace(a.Namespace), client.MatchingFields{IndexPosts: a.Name}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	return list.Items, nil
}

func publishedAt(p *v1beta1.Post) time.Time {
	switch {
	case p.Status.PublishedAt != nil:
		return p.Status.PublishedAt.Time
	case p.Status.FinishedAt != nil:
		return p.Status.FinishedAt.Time
	}
	return time.Time{}
}

// ours returns the Posts with a known platform ID, as package analytics takes them.
func ours(posts []v1beta1.Post) []analytics.Ours {
	out := make([]analytics.Ours, 0, len(posts))
	for i := range posts {
		p := &posts[i]
		id, ok := identity.Of(p)
		if !ok || p.Status.PlatformPostID == "" {
			continue
		}
		out = append(out, analytics.Ours{
			PlatformPostID: p.Status.PlatformPostID, Post: id, Short: p.Spec.ShortID, PostedAt: publishedAt(p),
			Title: p.Spec.Title, Caption: p.Spec.Caption, URL: p.Status.PostURL,
		})
	}
	return out
}

// copyMetrics updates status.metrics of recent Posts. The next refresh repeats failed writes.
func (r *Reconciler) copyMetrics(ctx context.Context, posts []v1beta1.Post, d *analytics.Document, now time.Time) {
	byID := map[int64]*v1beta1.Post{}
	for i := range posts {
		if id, ok := identity.Of(&posts[i]); ok {
			byID[id] = &posts[i]
		}
	}
	for i := range d.Rows {
		row := &d.Rows[i]
		if now.Sub(row.PostedAt) > metricsMaxAge {
			return // rows are ordered by time
		}
		p := byID[row.OurPost]
		if row.OurPost == 0 || p == nil || equalMetrics(p.Status.Metrics, &row.Numbers) {
			continue
		}
		// No other controller writes the field, so the patch needs no resourceVersion. The cached object stays
		// unchanged.
		next := p.DeepCopy()
		next.Status.Metrics = metricsOf(row, d)
		if err := r.Client.Status().Patch(ctx, next, client.MergeFrom(p)); err != nil && !apierrors.IsNotFound(err) {
			ctrl.LoggerFrom(ctx).Error(err, "writing metrics of a Post failed", "post", p.Name)
			return
		}
	}
}

// equalMetrics reports whether a Post already has the metrics.
func equalMetrics(m *v1beta1.PostMetrics, n *analytics.Numbers) bool {
	if m == nil {
		return *n == analytics.Numbers{}
	}
	for _, x := range [][2]*int64{{m.Views, n.Views}, {m.Likes, n.Likes}, {m.Comments, n.Comments}, {m.Shares, n.Shares}, {m.Favorites, n.Favorites}} {
		if (x[0] == nil) != (x[1] == nil) || x[0] != nil && *x[0] != *x[1] {
			return false
		}
	}
	return true
}

func metricsOf(row *analytics.Row, d *analytics.Document) *v1beta1.PostMetrics {
	at := row.MeasuredAt
	if at.IsZero() {
		at = d.RefreshedAt
	}
	return &v1beta1.PostMetrics{
		Views: row.Views, Likes: row.Likes, Comments: row.Comments, Shares: row.Shares, Favorites: row.Favorites,
		ObservedAt: metav1.Time{Time: at.UTC().Truncate(time.Second)},
	}
}
