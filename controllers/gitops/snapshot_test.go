// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"slices"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// snapshot is a history's namespace at a moment.
type snapshot struct {
	at       time.Time
	brands   v1beta1.BrandList
	assets   v1beta1.MediaAssetList
	shows    v1beta1.SlideshowList
	renders  v1beta1.RenderJobList
	batches  v1beta1.PostBatchList
	posts    v1beta1.PostList
	accounts v1beta1.SocialAccountList
	// events of the namespace; nil if they were not read.
	events []eventsv1.Event
}

// read lists the namespace. Events are read live only: the controllers do not cache them.
func (h *history) read(ctx context.Context, from client.Reader, events bool) (*snapshot, error) {
	s := &snapshot{at: time.Now()}
	for _, list := range []client.ObjectList{&s.brands, &s.assets, &s.shows, &s.renders, &s.batches, &s.posts, &s.accounts} {
		if err := from.List(ctx, list, client.InNamespace(h.namespace)); err != nil {
			return nil, err
		}
	}
	if events {
		var list eventsv1.EventList
		if err := h.stage.kube.List(ctx, &list, client.InNamespace(h.namespace)); err != nil {
			return nil, err
		}
		s.events = list.Items
	}
	return s, nil
}

// same reports whether nothing was written between two snapshots.
func (s *snapshot) same(o *snapshot) bool {
	return o != nil && slices.Equal(s.versions(), o.versions())
}

func (s *snapshot) versions() []string {
	var out []string
	for _, o := range s.objects() {
		out = append(out, string(o.GetUID())+" "+o.GetResourceVersion())
	}
	slices.Sort(out)
	return out
}

func (s *snapshot) objects() []client.Object {
	var out []client.Object
	out = append(out, pointers[*v1beta1.Brand](s.brands.Items)...)
	out = append(out, pointers[*v1beta1.MediaAsset](s.assets.Items)...)
	out = append(out, pointers[*v1beta1.Slideshow](s.shows.Items)...)
	out = append(out, pointers[*v1beta1.RenderJob](s.renders.Items)...)
	out = append(out, pointers[*v1beta1.PostBatch](s.batches.Items)...)
	out = append(out, pointers[*v1beta1.Post](s.posts.Items)...)
	return append(out, pointers[*v1beta1.SocialAccount](s.accounts.Items)...)
}

func pointers[P interface {
	*T
	client.Object
}, T any](items []T) []client.Object {
	out := make([]client.Object, len(items))
	for i := range items {
		out[i] = P(&items[i])
	}
	return out
}

// post returns the post of a batch on an account; nil if there is none, or if it is being deleted.
func (s *snapshot) post(b *v1beta1.PostBatch, account string) *v1beta1.Post {
	for i := range s.posts.Items {
		p := &s.posts.Items[i]
		if p.Spec.Batch == b.Name && p.Spec.Account == account && p.Spec.ScheduledAt.Time.Equal(b.Spec.ScheduledAt.Time) && p.DeletionTimestamp == nil {
			return p
		}
	}
	return nil
}
