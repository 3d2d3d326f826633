// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Resource is the limited resource, as in details.resource.
type Resource string

// Resources.
const (
	Objects        Resource = "objects"
	Bytes          Resource = "bytes"
	UnclaimedBytes Resource = "unclaimed_bytes"
	PendingURLs    Resource = "pending_urls"
)

// LimitError reports that an account has reached a storage limit of its plan.
type LimitError struct {
	Resource    Resource
	Limit, Used int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the plan allows %d %s and the account has %d", e.Limit, e.Resource, e.Used)
}

// Stored is the usage of an account: objects in the cluster, bytes in the store, and files whose URLs are not fetched
// yet.
type Stored struct {
	Objects, Bytes, PendingURLs int64
}

// measureTime is how long a measurement is cached. Usage admitted meanwhile is added to it.
const measureTime = 10 * time.Second

// Meter measures the storage of accounts from a cache and compares it with their plans. Each process has its own Meter,
// so several front ends together may admit more than a plan allows within measureTime. It is safe for concurrent use; a
// nil Meter admits everything.
type Meter struct {
	objects client.Reader
	clock   clock.PassiveClock

	mu   sync.Mutex
	seen map[string]measured
}

type measured struct {
	at time.Time
	Stored
}

// NewMeter returns a Meter that reads objects from a cache.
func NewMeter(objects client.Reader, c clock.PassiveClock) *Meter {
	return &Meter{objects: objects, clock: c, seen: map[string]measured{}}
}

// Admit returns nil if the account may store more, and counts the addition as stored. The error is a *LimitError, or
// the cache's.
func (m *Meter) Admit(ctx context.Context, a *v1beta1.Account, more Stored) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	is, ok := m.seen[a.Namespace]
	if age := now.Sub(is.at); !ok || age < 0 || age >= measureTime {
		stored, err := m.measure(ctx, a.Namespace)
		if err != nil {
			return err
		}
		is = measured{now, stored}
		m.seen[a.Namespace] = is
	}
	if most := int64(ptr.Deref(a.Spec.Plan.MaxObjects, v1beta1.DefaultMaxObjects)); is.Objects+more.Objects > most {
		return &LimitError{Objects, most, is.Objects}
	}
	if most := ptr.Deref(a.Spec.Plan.MaxBytes, v1beta1.DefaultMaxBytes); is.Bytes+more.Bytes > most {
		return &LimitError{Bytes, most, is.Bytes}
	}
	// The limit on pending URLs applies only to additions with URLs.
	if most := int64(ptr.Deref(a.Spec.Plan.MaxPendingURLs, v1beta1.DefaultMaxPendingURLs)); more.PendingURLs > 0 && is.PendingURLs+more.PendingURLs > most {
		return &LimitError{PendingURLs, most, is.PendingURLs}
	}
	is.Objects += more.Objects
	is.Bytes += more.Bytes
	is.PendingURLs += more.PendingURLs
	m.seen[a.Namespace] = is
	return nil
}

// measure returns the usage of the namespace. Objects in the archive are not in the cluster and count only with the
// bytes of their videos.
func (m *Meter) measure(ctx context.Context, namespace string) (s Stored, err error) {
	list := func(l client.ObjectList) bool {
		if err == nil {
			err = m.objects.List(ctx, l, client.InNamespace(namespace), client.UnsafeDisableDeepCopy)
		}
		return err == nil
	}
	var media v1beta1.MediaAssetList
	if list(&media) {
		for i := range media.Items {
			f := &media.Items[i]
			s.addFile(&f.Spec.Source, f.Status.Work, ptr.Deref(f.Status.Probe, v1beta1.MediaProbe{}).Bytes)
		}
	}
	var tracks v1beta1.MusicTrackList
	if list(&tracks) {
		for i := range tracks.Items {
			f := &tracks.Items[i]
			s.addFile(&f.Spec.Source, f.Status.Work, ptr.Deref(f.Status.Probe, v1beta1.TrackProbe{}).Bytes)
		}
	}
	var renders v1beta1.RenderJobList
	if list(&renders) {
		s.Objects += int64(len(renders.Items))
		for i := range renders.Items {
			if o := renders.Items[i].Status.Output; o != nil {
				s.Bytes += o.Bytes
			}
		}
	}
	var shows v1beta1.SlideshowList
	if list(&shows) {
		s.Objects += int64(len(shows.Items))
	}
	var videos v1beta1.VideoList
	if list(&videos) {
		s.Objects += int64(len(videos.Items))
		for i := range videos.Items {
			if videos.Items[i].Status.Work == nil { // its media items are not created yet
				s.PendingURLs += videos.Items[i].Spec.URLs()
			}
		}
	}
	var archives v1beta1.ArchiveList
	if list(&archives) {
		for i := range archives.Items {
			s.Bytes += filmBytes(&archives.Items[i])
		}
	}
	if err != nil {
		return Stored{}, fmt.Errorf("measuring what %s has stored: %w", namespace, err)
	}
	return s, nil
}

// filmBytes returns the size of the videos of the shorts in an archive. A segment has only the sum of its shorts, so
// the videos of a short that was restored count twice until compaction: here, and for its renders.
func filmBytes(a *v1beta1.Archive) int64 {
	var out int64
	for i := range a.Status.Segments {
		out += a.Status.Segments[i].FilmBytes
	}
	return out
}

// addFile adds a file with its size in bytes, 0 before it was probed.
func (s *Stored) addFile(source *v1beta1.MediaSource, work *v1beta1.Work, bytes int64) {
	s.Objects++
	s.Bytes += bytes
	if source.URL != nil && (work == nil || !work.State.Settled()) {
		s.PendingURLs++
	}
}
