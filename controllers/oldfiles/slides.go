// SPDX-License-Identifier: Apache-2.0

package oldfiles

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
)

// slideAge is how long the slides of earlier revisions are kept after the last work on a slideshow. No signed URL of
// them is valid any more.
const slideAge = catalog.PictureURLValidity + 24*time.Hour

// purgeSlides deletes the slides of earlier revisions that no object names any more, and returns the number of files.
// Slideshows in the archive keep their files: the names of their posts' photos are in the archive, too.
func (p *Purge) purgeSlides(ctx context.Context) (deleted int, err error) {
	shorts, err := p.resting(ctx)
	if err != nil {
		return 0, err
	}
	old := map[string]map[string]bool{} // keys, by the prefix of the slideshow
	err = p.Store.Walk(ctx, slides.Files, func(o blob.Object) error {
		prefix := pinned.Prefix(o.Key)
		if s := shorts[prefix]; s != nil && earlier(s, o.Key) {
			if old[prefix] == nil {
				old[prefix] = map[string]bool{}
			}
			old[prefix][o.Key] = true
		}
		return ctx.Err()
	})
	if err != nil {
		return 0, err
	}
	if err := p.exceptPosted(ctx, old); err != nil {
		return 0, err
	}
	for prefix, keys := range old {
		n, failed := p.purgeShort(ctx, shorts[prefix], keys)
		deleted, err = deleted+n, errors.Join(err, failed)
		if ctx.Err() != nil {
			break
		}
	}
	return deleted, err
}

// resting returns the slideshows of the cache on which no work was done for slideAge, by the prefix of their files.
func (p *Purge) resting(ctx context.Context) (map[string]*v1beta1.Slideshow, error) {
	var list v1beta1.SlideshowList
	if err := p.Client.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing slideshows: %w", err)
	}
	out := map[string]*v1beta1.Slideshow{}
	for i := range list.Items {
		if s := &list.Items[i]; p.rests(s) {
			out[slides.Prefix(s)] = s
		}
	}
	return out, nil
}

// rests reports whether no work was done on a slideshow for slideAge. One that the archive hides does not rest.
func (p *Purge) rests(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	return s.DeletionTimestamp.IsZero() && v1beta1.Whole().Matches(labels.Set(s.Labels)) &&
		shortwork.Settled(w) && w.FinishedAt != nil && w.FinishedAt.Time.Before(p.Clock.Now().Add(-slideAge))
}

// earlier reports whether a file was drawn for the current or an earlier revision of a slideshow and the slideshow does
// not name it. The files of the next revision may be written just now.
func earlier(s *v1beta1.Slideshow, key string) bool {
	if n, ok := slides.RevisionOf(key); !ok || n > s.Status.Revision {
		return false
	}
	st := &s.Status
	return key != st.PreviewKey && key != st.ThumbnailKey && !slices.ContainsFunc(st.Slides, func(sl v1beta1.Slide) bool {
		return key == sl.PictureKey || key == sl.LayerKey || key == sl.Background.BlobKey
	})
}

// exceptPosted removes the keys that posts of the cache name, also posts that have ended: their photos are shown. This
// saves most calls of purgeShort.
func (p *Purge) exceptPosted(ctx context.Context, old map[string]map[string]bool) error {
	if len(old) == 0 {
		return nil
	}
	var posts v1beta1.PostList
	if err := p.Client.List(ctx, &posts, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing posts: %w", err)
	}
	for i := range posts.Items {
		for _, key := range posts.Items[i].Spec.Media.PhotoKeys {
			delete(old[pinned.Prefix(key)], key)
		}
	}
	return nil
}

// purgeShort deletes those of the files that no object of the short names in the cluster. It reads the API server: the
// cache may lack an object that was created a moment ago.
func (p *Purge) purgeShort(ctx context.Context, s *v1beta1.Slideshow, keys map[string]bool) (deleted int, err error) {
	id := s.Labels[v1beta1.LabelID]
	if len(keys) == 0 || id == "" {
		return 0, nil
	}
	// The slideshow comes last. The archive hides it before it deletes its posts, so the lists above a slideshow in view
	// are complete.
	var jobs v1beta1.RenderJobList
	var shorts v1beta1.SlideshowList
	var names []byte
	for _, l := range []struct {
		list  client.ObjectList
		label string
	}{
		{&jobs, v1beta1.LabelShort},
		{&v1beta1.PostBatchList{}, v1beta1.LabelShort},
		{&v1beta1.PostList{}, v1beta1.LabelShort},
		{&shorts, v1beta1.LabelID},
	} {
		if err := p.Live.List(ctx, l.list, client.InNamespace(s.Namespace), client.MatchingLabels{l.label: id}); err != nil {
			return 0, fmt.Errorf("listing objects of a short: %w", err)
		}
		doc, err := json.Marshal(l.list)
		if err != nil {
			return 0, fmt.Errorf("reading objects of a short: %w", err)
		}
		names = append(names, doc...)
	}
	busy := slices.ContainsFunc(jobs.Items, func(j v1beta1.RenderJob) bool { return !renders.State(&j).Settled() })
	if busy || len(shorts.Items) != 1 || shorts.Items[0].UID != s.UID || !p.rests(&shorts.Items[0]) {
		return 0, nil
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if bytes.Contains(names, []byte(key)) {
			continue
		}
		if err := p.Store.Delete(ctx, key); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
