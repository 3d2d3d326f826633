// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/pinned"
)

// retention returns the time after which archived units of the account are deleted; 0 means never.
func (p *pass) retention() time.Duration {
	if days := p.account.Spec.Plan.DeleteArchivedAfterDays; days != nil {
		return time.Duration(*days) * 24 * time.Hour
	}
	return 0
}

// maxExpired is the number of units of a namespace that are being deleted at the same time. Each has dozens of files,
// and restores wait meanwhile.
const maxExpired = 10

// liveUnits returns the units in the cluster by id.
type liveUnits func() (map[int64]*unit, error)

// expire deletes archived units whose retention has ended, at most maxExpired in one pass. It reports whether it
// deleted any. Each step can be repeated: the units are listed as expired, their files are deleted, and they are listed
// as removed. While a restore is requested, or an operator restores a backup, all units stay.
func (p *pass) expire(ctx context.Context) (bool, error) {
	if len(p.archive.Spec.Restore) > 0 || p.archive.Annotations[v1beta1.AnnotationCheckArchive] != "" {
		return false, nil
	}
	live := sync.OnceValues(func() (map[int64]*unit, error) {
		return gather(ctx, p.Client, p.archive.Namespace)
	})
	// A segment that cannot be read does not keep it from the others.
	added, unread := p.addExpired(ctx, live)
	if added > 0 {
		if err := p.persist(ctx); err != nil {
			return false, errors.Join(unread, err) // no file may be deleted before
		}
	}
	deleted, failed := p.deleteExpired(ctx, live)
	if deleted > 0 {
		if err := p.persist(ctx); err != nil {
			return false, errors.Join(unread, failed, err)
		}
		p.count("deleted", deleted)
		ctrl.LoggerFrom(ctx).Info("deleted from the archive", "units", deleted)
	}
	return deleted > 0, errors.Join(unread, failed)
}

// addExpired adds units whose retention has ended to those that have expired. It returns their number.
func (p *pass) addExpired(ctx context.Context, live liveUnits) (added int, err error) {
	keep := p.retention()
	if keep == 0 {
		return 0, nil
	}
	room := maxExpired
	for i := range p.archive.Status.Segments {
		room -= len(p.archive.Status.Segments[i].Expired)
	}
	var failed []error
	for i := range p.archive.Status.Segments {
		s := &p.archive.Status.Segments[i]
		ids, err := p.olderThan(ctx, s, p.Clock.Now().Add(-keep), live)
		failed = append(failed, err)
		ids = ids[:min(len(ids), max(0, room-added))]
		s.Expired = compactIDs(append(s.Expired, ids...))
		added += len(ids)
	}
	return added, errors.Join(failed...)
}

// olderThan returns the ids of the units that a segment holds and that were archived before a time. It returns none for
// a segment that is leaving the cluster. A unit with an object in the cluster stays: it can be a batch that needs the
// short, whose controller requests the restore.
func (p *pass) olderThan(
	ctx context.Context, s *v1beta1.ArchiveSegment, before time.Time, live liveUnits,
) (out []int64, err error) {
	if s.Phase != "" || s.ArchivedFrom != nil && !s.ArchivedFrom.Time.Before(before) {
		return nil, nil
	}
	rows, err := p.Store.Ages(ctx, p.archive.Namespace, s)
	if err != nil {
		return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	for _, r := range rows {
		if r.ArchivedAt.Before(before) && p.archive.Holds(s, r.ID) {
			out = append(out, r.ID)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	now, err := live()
	return slices.DeleteFunc(out, func(id int64) bool { return err != nil || now[id] != nil }), err
}

// deleteExpired deletes the files of the expired units, and removes these units from their segments. A unit whose files
// cannot be deleted stays expired. It returns the number of removed units.
func (p *pass) deleteExpired(ctx context.Context, live liveUnits) (deleted int, err error) {
	var failed []error
	for i := range p.archive.Status.Segments {
		s := &p.archive.Status.Segments[i]
		for _, id := range slices.Clone(s.Expired) {
			if err := p.deleteFiles(ctx, s, id, live); err != nil {
				failed = append(failed, fmt.Errorf("deleting the expired short %d: %w", id, err))
				continue
			}
			s.Expired = slices.DeleteFunc(s.Expired, func(other int64) bool { return other == id })
			remove(s, id)
			deleted++
		}
	}
	return deleted, errors.Join(failed...)
}

// deleteFiles deletes the files of an expired unit, except those of objects that are in the cluster: a restore from an
// old backup created them. The images of its posts are deleted when the posts have ended. The cache has all posts that
// can name one of the files, because nothing can choose a file of an archived object.
func (p *pass) deleteFiles(ctx context.Context, s *v1beta1.ArchiveSegment, id int64, live liveUnits) error {
	stored, err := p.keptOf(ctx, s, id)
	if err != nil {
		return err
	}
	now, err := live()
	if err != nil {
		return err
	}
	owners := map[types.UID]bool{}
	if u := now[id]; u != nil {
		for _, o := range u.objects() {
			owners[v1beta1.Origin(o)] = true
		}
	}
	for _, o := range stored {
		if owners[v1beta1.Origin(o)] {
			continue
		}
		if err := pinned.RemoveAll(ctx, p.Client, p.Files, o, nil); err != nil {
			return err
		}
	}
	return nil
}

// keptOf returns the objects in the row of a short.
func (p *pass) keptOf(ctx context.Context, s *v1beta1.ArchiveSegment, id int64) ([]client.Object, error) {
	row, err := p.rowOf(ctx, s, id)
	if err != nil {
		return nil, err
	}
	rows, err := p.Store.Shorts(ctx, p.archive.Namespace, s, []int{row})
	if err != nil {
		return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	return archive.DecodeAll(rows[0].Objects)
}
