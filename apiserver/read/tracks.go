// SPDX-License-Identifier: Apache-2.0

package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// indexTracks is the index of playable tracks by brand. Tracks of the whole account are under sharedTracks.
const (
	indexTracks  = "reelops.tracks"
	sharedTracks = "*" // not a valid object name
)

func tracksOf(o client.Object) []string {
	t := o.(*v1beta1.MusicTrack)
	switch {
	case ID(t) == 0 || !TrackReady(t):
		return nil
	case t.Spec.BrandRef == nil:
		return []string{sharedTracks}
	}
	return []string{t.Spec.BrandRef.Name}
}

// TrackReady reports whether a track has been ingested and can be played.
func TrackReady(t *v1beta1.MusicTrack) bool {
	return t.DeletionTimestamp.IsZero() && t.Status.Error == nil && t.Status.Probe != nil && t.Status.BlobKey != ""
}

// Tracks returns the ready music that a brand may use: the starter set by title, then the brand's own and its
// account's, newest first, then other tracks that every account has, by title. The tracks are objects of the cache and
// must not be changed.
func (r *Reader) Tracks(ctx context.Context, library, namespace, brand string) ([]v1beta1.MusicTrack, error) {
	var own, common v1beta1.MusicTrackList
	owners := []string{sharedTracks, brand}
	if namespace == library { // shared tracks are then listed as common ones
		owners = owners[1:]
	}
	for _, owner := range owners {
		var some v1beta1.MusicTrackList
		if err := r.playable(ctx, namespace, owner, &some); err != nil {
			return nil, err
		}
		own.Items = append(own.Items, some.Items...)
	}
	if err := r.playable(ctx, library, sharedTracks, &common); err != nil {
		return nil, err
	}
	slices.SortFunc(own.Items, func(a, b v1beta1.MusicTrack) int {
		since := v1beta1.CreatedAt(&b)
		return cmp.Or(since.Compare(v1beta1.CreatedAt(&a).Time), cmp.Compare(ID(&b), ID(&a)))
	})
	slices.SortFunc(common.Items, func(a, b v1beta1.MusicTrack) int {
		return cmp.Or(cmp.Compare(a.Spec.Title, b.Spec.Title), cmp.Compare(ID(&a), ID(&b)))
	})
	var out, rest []v1beta1.MusicTrack
	for i := range common.Items {
		if common.Items[i].Spec.Source.Starter != nil {
			out = append(out, common.Items[i])
		} else {
			rest = append(rest, common.Items[i])
		}
	}
	return slices.Concat(out, own.Items, rest), nil
}

func (r *Reader) playable(ctx context.Context, namespace, owner string, l *v1beta1.MusicTrackList) error {
	err := r.Cached.List(ctx, l, client.InNamespace(namespace), client.MatchingFields{indexTracks: owner}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return fmt.Errorf("listing music: %w", err)
	}
	return nil
}

// TrackByID returns a track that a brand may use, ready or not: its own, one of its account, or one that every account
// has.
func (r *Reader) TrackByID(ctx context.Context, library, namespace, brand string, id int64) (*v1beta1.MusicTrack, error) {
	for _, in := range []string{namespace, library} {
		var l v1beta1.MusicTrackList
		if err := r.byID(ctx, in, id, &l); err != nil {
			return nil, err
		}
		for i := range l.Items {
			t := &l.Items[i]
			if ref := t.Spec.BrandRef; t.DeletionTimestamp.IsZero() && (ref == nil || in == namespace && ref.Name == brand) {
				return t, nil
			}
		}
	}
	return nil, ErrNotFound
}

// TrackID returns the id of the track that a music source refers to; 0 if it refers to none or to an unknown one.
func (r *Reader) TrackID(ctx context.Context, library, namespace string, m *v1beta1.MusicSource) int64 {
	key := client.ObjectKey{}
	switch {
	case m == nil:
		return 0
	case m.TrackRef != nil:
		key = client.ObjectKey{Namespace: namespace, Name: m.TrackRef.Name}
	case m.LibraryTrackRef != nil:
		key = client.ObjectKey{Namespace: library, Name: m.LibraryTrackRef.Name}
	}
	t := &v1beta1.MusicTrack{}
	if err := r.Cached.Get(ctx, key, t); err != nil {
		return 0
	}
	return ID(t)
}
