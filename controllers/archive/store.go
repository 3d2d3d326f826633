// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/store/archive"
)

// stay is how long a restored unit stays in the cluster at least: the request that needs it has ended then.
const stay = time.Minute

// rows are the rows of units that were created in one month.
type rows struct {
	shorts []archive.Short
	posts  []archive.Post
}

// store writes segments of units that have settled, and lists them. It returns the number of units.
func (p *pass) store(ctx context.Context, after time.Duration) (int, error) {
	now := p.Clock.Now()
	units, err := p.choose(ctx, now, now.Add(-after))
	if err != nil || len(units) == 0 {
		return 0, err
	}
	// A unit with a hidden object would be stored without it. The next pass finds it in the cache.
	if shown, err := p.showOrphans(ctx, client.InNamespace(p.archive.Namespace)); err != nil || shown > 0 {
		return 0, err
	}
	months, size := map[string]*rows{}, 0
	for i, u := range units {
		short, posts, err := rowsOf(u, now)
		if err != nil {
			return 0, err
		}
		size += short.Size()
		for j := range posts {
			size += posts[j].Size()
		}
		if size > archive.MaxBytes {
			units = units[:i] // the next pass takes the others
			break
		}
		if err := p.record(ctx, u); err != nil {
			return 0, err
		}
		month := short.CreatedAt.Format("2006-01")
		if months[month] == nil {
			months[month] = &rows{}
		}
		months[month].shorts = append(months[month].shorts, short)
		months[month].posts = append(months[month].posts, posts...)
	}
	for _, m := range months {
		seg, err := p.Store.Write(ctx, p.archive.Namespace, m.shorts, m.posts)
		if err != nil {
			return 0, fmt.Errorf("writing a segment: %w", err)
		}
		seg.Phase = v1beta1.ArchiveHiding
		p.list(seg)
	}
	// Files that are not listed because this write fails are deleted by a later sweep.
	if err := p.persist(ctx); err != nil {
		return 0, err
	}
	ctrl.LoggerFrom(ctx).Info("stored in the archive", "units", len(units), "segments", len(months))
	return len(units), nil
}

// record records the events of a unit.
func (p *pass) record(ctx context.Context, u *unit) error {
	if p.Record == nil {
		return nil
	}
	for _, o := range u.objects() {
		if err := p.Record(ctx, o); err != nil {
			return fmt.Errorf("recording the events of %T %s: %w", o, o.GetName(), err)
		}
	}
	return nil
}

// list adds a segment to the status.
func (p *pass) list(seg v1beta1.ArchiveSegment) {
	all := append(p.archive.Status.Segments, seg)
	slices.SortFunc(all, func(a, b v1beta1.ArchiveSegment) int { return cmp.Compare(a.Name, b.Name) })
	p.archive.Status.Segments = all
}

// choose returns units that may leave and have not changed since a time, as the API server has them, the oldest first.
func (p *pass) choose(ctx context.Context, now, since time.Time) ([]*unit, error) {
	all, err := gather(ctx, p.Client, p.archive.Namespace)
	if err != nil {
		return nil, err
	}
	n, err := needsOf(ctx, p.Client, p.archive.Namespace, now)
	if err != nil {
		return nil, err
	}
	leaving, err := p.leaving(ctx)
	if err != nil {
		return nil, err
	}
	var out []*unit
	for _, u := range sorted(all) {
		if len(out) == maxUnits || len(out) > 0 && p.late() {
			break
		}
		if leaving[u.id] || u.returned(now.Add(-stay)) {
			continue
		}
		// The cache has no managed fields, but enough to pass over most units without a request.
		if !u.touched().Before(since) || settled(u, n) != "" {
			continue
		}
		live, err := u.live(ctx, p.Live)
		if err != nil {
			return nil, err
		}
		if live != nil && live.touched().Before(since) && settled(live, n) == "" && !declared(live) {
			out = append(out, live)
		}
	}
	return out, nil
}

// leaving returns the ids of the units that are on their way out.
func (p *pass) leaving(ctx context.Context) (map[int64]bool, error) {
	out := map[int64]bool{}
	for _, s := range append(p.segments(v1beta1.ArchiveHiding), p.segments(v1beta1.ArchiveDeleting)...) {
		keys, err := p.Store.ShortKeys(ctx, p.archive.Namespace, s)
		if err != nil {
			return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
		}
		for _, k := range keys {
			out[k.ID] = out[k.ID] || !slices.Contains(s.Removed, k.ID)
		}
	}
	return out, nil
}

// rowsOf returns the rows of a unit.
func rowsOf(u *unit, now time.Time) (archive.Short, []archive.Post, error) {
	out := archive.Short{ID: u.id, CreatedAt: u.created(), ArchivedAt: now.UTC()}
	switch s := u.short.(type) {
	case *v1beta1.Slideshow:
		out.Kind, out.Brand, out.State = v1beta1.KindSlideshow, s.Spec.BrandRef.Name, string(s.Status.Work.State)
	case *v1beta1.Video:
		out.Kind, out.Brand, out.State = v1beta1.KindVideo, s.Spec.BrandRef.Name, string(s.Status.Work.State)
	}
	if u.short != nil {
		out.Title, out.Caption = shortwork.TitleAndCaption(u.short)
		out.Text = strings.Join(shortwork.Texts(u.short), "\n")
	}
	for _, r := range u.renders {
		if o := r.Status.Output; o != nil {
			out.FilmBytes += o.Bytes
		}
	}
	for _, m := range u.media {
		if f := m.Status.Probe; f != nil {
			out.FilmBytes += f.Bytes
		}
	}
	var err error
	if out.Objects, err = archive.EncodeAll(u.kept()); err != nil {
		return out, nil, err
	}
	posts := make([]archive.Post, 0, len(u.posts))
	for _, p := range u.posts {
		row := archive.PostOf(p)
		row.ArchivedAt = out.ArchivedAt
		if row.Object, err = archive.Encode(p); err != nil {
			return out, nil, err
		}
		out.Brand = cmp.Or(out.Brand, row.Brand)
		posts = append(posts, row)
	}
	return out, posts, nil
}

// decoded is a row of a short with its objects.
type decoded struct {
	archive.Short
	// kept are the objects of the row, posts those of the rows of its posts.
	kept, posts []client.Object
}

// objects returns all objects, owners first.
func (d *decoded) objects() []client.Object { return append(slices.Clone(d.kept), d.posts...) }

// read returns the rows of a segment that were not removed, with their objects. Unlike Archive.Holds, it does not take
// a requested restore into account: the objects of a short that was put back must not be touched.
func (p *pass) read(ctx context.Context, s *v1beta1.ArchiveSegment) ([]*decoded, error) {
	shorts, posts, err := p.Store.Read(ctx, p.archive.Namespace, s)
	if err != nil {
		return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
	}
	shorts = slices.DeleteFunc(shorts, func(row archive.Short) bool { return slices.Contains(s.Removed, row.ID) })
	return decode(shorts, posts)
}

// decode returns shorts with those of the posts that belong to them.
func decode(shorts []archive.Short, posts []archive.Post) ([]*decoded, error) {
	byID := map[int64]*decoded{}
	var out []*decoded
	for i := range shorts {
		kept, err := archive.DecodeAll(shorts[i].Objects)
		if err != nil {
			return nil, err
		}
		d := &decoded{Short: shorts[i], kept: kept}
		byID[d.ID] = d
		out = append(out, d)
	}
	for i := range posts {
		d := byID[posts[i].ShortID]
		if d == nil {
			continue
		}
		o, err := archive.Decode(posts[i].Object)
		if err != nil {
			return nil, err
		}
		d.posts = append(d.posts, o)
	}
	return out, nil
}
