// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
)

const (
	// fewSegments is the number of small segments of a month and of about the same size at which they are merged,
	// manySegments that of small segments of all sizes.
	fewSegments, manySegments = 8, 16
	// fullSegment is the number of shorts at which a segment is not small any more. mergedBytes limits the rows of a
	// merged segment, in addition to the limits of package archive.
	fullSegment = 2000
	mergedBytes = archive.MaxBytes / 2
)

// compactIDs sorts ids and removes repeated ones.
func compactIDs(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// compact merges the small segments of one month, or rewrites a segment of which many shorts were removed. It replaces
// the old segments by the new one in one write of the status, and reports whether it did. A later sweep deletes the old
// files.
func (p *pass) compact(ctx context.Context) (bool, error) {
	old := toMerge(p.archive.Status.Segments)
	if len(old) == 0 || len(p.archive.Spec.Restore) > 0 {
		return false, nil
	}
	m, old, err := p.merged(ctx, old)
	if err != nil || len(old) == 0 {
		return false, err
	}
	p.archive.Status.Segments = slices.DeleteFunc(p.archive.Status.Segments, func(s v1beta1.ArchiveSegment) bool {
		return slices.ContainsFunc(old, func(o v1beta1.ArchiveSegment) bool { return o.Name == s.Name })
	})
	if len(m.shorts) > 0 {
		seg, err := p.Store.Write(ctx, p.archive.Namespace, m.shorts, m.posts)
		if err != nil {
			return false, fmt.Errorf("writing a segment: %w", err)
		}
		p.list(seg)
	}
	if err := p.persist(ctx); err != nil {
		return false, err
	}
	ctrl.LoggerFrom(ctx).Info("merged segments of the archive", "segments", len(old), "units", len(m.shorts))
	return true, nil
}

// merged returns the rows that some of the segments hold, and these segments: as many as fit into one. It returns no
// segments if merging achieves nothing.
func (p *pass) merged(
	ctx context.Context, from []v1beta1.ArchiveSegment,
) (m rows, taken []v1beta1.ArchiveSegment, err error) {
	size, dropped := 0, 0
	for i := range from {
		shorts, posts, err := p.Store.Read(ctx, p.archive.Namespace, &from[i])
		if err != nil {
			return m, nil, fmt.Errorf("reading the segment %s: %w", from[i].Name, err)
		}
		removed := map[int64]bool{}
		for _, id := range from[i].Removed {
			removed[id] = true
		}
		shorts = slices.DeleteFunc(shorts, func(s archive.Short) bool { return removed[s.ID] })
		posts = slices.DeleteFunc(posts, func(s archive.Post) bool { return removed[s.ShortID] })
		for j := range shorts {
			size += shorts[j].Size()
		}
		for j := range posts {
			size += posts[j].Size()
		}
		if len(taken) > 0 && (size > mergedBytes || len(m.posts)+len(posts) > archive.MaxPosts) {
			break
		}
		m.shorts, m.posts = append(m.shorts, shorts...), append(m.posts, posts...)
		taken = append(taken, from[i])
		dropped += len(removed)
	}
	if len(taken) < 2 && dropped == 0 {
		return rows{}, nil, nil
	}
	return m, taken, nil
}

// toMerge returns the segments that compaction should replace by one; none if there are none.
func toMerge(all []v1beta1.ArchiveSegment) []v1beta1.ArchiveSegment {
	months := map[string][]v1beta1.ArchiveSegment{}
	for _, s := range all {
		if s.Phase != "" || len(s.Expired) > 0 {
			continue
		}
		if len(s.Removed) > 0 && 4*len(s.Removed) >= int(s.Shorts) {
			return []v1beta1.ArchiveSegment{s}
		}
		month, _, _ := strings.Cut(s.Name, "/")
		if s.Shorts < fullSegment {
			months[month] = append(months[month], s)
		}
	}
	for _, small := range months {
		some := mergeable(small)
		if len(some) == 0 {
			continue
		}
		slices.SortFunc(some, func(a, b v1beta1.ArchiveSegment) int { return int(a.Shorts - b.Shorts) })
		n, sum := 0, int32(0)
		for n < len(some) && sum+some[n].Shorts <= 2*fullSegment {
			sum += some[n].Shorts
			n++
		}
		return some[:n]
	}
	return nil
}

// mergeable returns small segments of a month that are worth merging: some of about the same size, so that the rows of
// a segment are not written again for every new one, or all if they are many.
func mergeable(small []v1beta1.ArchiveSegment) []v1beta1.ArchiveSegment {
	if len(small) >= manySegments {
		return small
	}
	sizes := map[int][]v1beta1.ArchiveSegment{}
	for _, s := range small {
		size := bits.Len32(uint32(s.Shorts)) / 3 // powers of eight
		if sizes[size] = append(sizes[size], s); len(sizes[size]) >= fewSegments {
			return sizes[size]
		}
	}
	return nil
}
