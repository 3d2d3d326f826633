// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
)

// recentWork is the number of most recent durations per kind of work from which the median is computed.
const recentWork = 25

// durations holds how long recent work took, by kind of job. The zero value is ready and safe for concurrent use.
type durations struct {
	mu     sync.RWMutex
	recent map[string][]duration // ordered by the end of the work
}

// duration is the time that one piece of work took, from start to end. Both come from one clock, in whole seconds.
type duration struct {
	of   string // UID of its object
	end  time.Time
	took time.Duration
}

// note adds the work of a slideshow, a video or a render that succeeded. Further events of the same work add nothing.
func (d *durations) note(o client.Object) {
	kind, w := workOf(o)
	if w == nil || w.State != v1beta1.WorkSucceeded || w.StartedAt == nil || w.FinishedAt == nil {
		return
	}
	took := max(w.FinishedAt.Sub(w.StartedAt.Time), time.Second)
	one := duration{of: string(o.GetUID()), end: w.FinishedAt.Time, took: took}
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.recent[kind]
	if slices.ContainsFunc(known, func(k duration) bool { return k.of == one.of && k.end.Equal(one.end) }) {
		return
	}
	at, _ := slices.BinarySearchFunc(known, one, func(a, b duration) int { return a.end.Compare(b.end) })
	known = slices.Insert(known, at, one)
	if d.recent == nil {
		d.recent = map[string][]duration{}
	}
	d.recent[kind] = slices.Delete(known, 0, max(len(known)-recentWork, 0))
}

// median returns the median duration of recent work of a kind, at least a second; 0 if there was none.
func (d *durations) median(kind string) time.Duration {
	d.mu.RLock()
	known := slices.Clone(d.recent[kind])
	d.mu.RUnlock()
	if len(known) == 0 {
		return 0
	}
	slices.SortFunc(known, func(a, b duration) int { return cmp.Compare(a.took, b.took) })
	return known[len(known)/2].took
}

// workOf returns the record of an object's work, and its kind of job. It ignores renders of videos, which are part of
// the video's own work.
func workOf(o client.Object) (kind string, w *v1beta1.Work) {
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		return catalog.JobSlideshow, deck.Generation(o)
	case *v1beta1.Video:
		return catalog.JobVideo, o.Status.Work
	case *v1beta1.RenderJob:
		if cmp.Or(o.Spec.Source.Kind, kindSlideshow) == kindSlideshow {
			return catalog.JobRender, o.Status.Work
		}
	}
	return "", nil
}

// Usual returns the usual duration of a kind of job, at least a second: the median of the recent work that this process
// has seen. It is 0 if there was none.
func (x *Shorts) Usual(kind string) time.Duration { return x.took.median(kind) }
