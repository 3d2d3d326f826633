// SPDX-License-Identifier: Apache-2.0

package index

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
)

// ShortSegment returns a segment with the keys of its shorts, in the order of the rows. The error means that the rows
// are not in the order of their ids.
func ShortSegment(entry *v1beta1.ArchiveSegment, keys []archive.ShortKey) (*Segment, error) {
	s := &Segment{entry: entry, rows: make([]archivedRow, len(keys))}
	place, classes := s.placing(), map[[2]string]uint8{}
	for n := range keys {
		k := &keys[n]
		of := [2]string{k.Kind, k.State}
		class, known := classes[of]
		if !known {
			class = archivedClass(k.Kind, k.State)
			classes[of] = class
		}
		s.rows[n] = archivedRow{id: k.ID, created: k.CreatedAt.Unix(), place: place(listKey{brand: k.Brand}), class: class}
	}
	return s, s.check()
}

// archivedClass returns the class of a short of a kind whose work has a state. A short that was deleted has no kind, and
// is in no list.
func archivedClass(kind, state string) uint8 {
	var o client.Object
	work := &v1beta1.Work{State: v1beta1.WorkState(state)}
	switch kind {
	case kindSlideshow:
		s := &v1beta1.Slideshow{Status: v1beta1.SlideshowStatus{Work: work}}
		s.Generation = 1
		o = s
	case kindVideo:
		v := &v1beta1.Video{Status: v1beta1.VideoStatus{Work: work}}
		if work.State == v1beta1.WorkSucceeded {
			v.Status.Output = &v1beta1.RenderOutput{}
		}
		o = v
	default:
		return noClass
	}
	_, class := brandAndClass(o)
	return class
}

// PostSegment returns a segment with the keys of its posts, in the order of the rows. The error means that the rows are
// not in the order of their ids.
func PostSegment(entry *v1beta1.ArchiveSegment, keys []archive.PostKey) (*Segment, error) {
	s := &Segment{
		entry: entry, rows: make([]archivedRow, len(keys)),
		due: make([]int64, len(keys)), shorts: make([]int64, len(keys)), byShort: make([]uint32, len(keys)),
	}
	place := s.placing()
	for n := range keys {
		k := &keys[n]
		s.rows[n] = archivedRow{
			id: k.ID, created: k.CreatedAt.Unix(), place: place(listKey{brand: k.Brand, account: k.Account}),
			class: classOfPost(stubOf(k), k.CreatedAt),
		}
		s.due[n], s.shorts[n], s.byShort[n] = k.ScheduledAt.Unix(), k.ShortID, uint32(n)
	}
	slices.SortStableFunc(s.byShort, func(a, b uint32) int { return cmp.Compare(s.shorts[a], s.shorts[b]) })
	return s, s.check()
}

// stubOf returns a post with the fields that decide about its class.
func stubOf(k *archive.PostKey) *v1beta1.Post {
	return &v1beta1.Post{
		Spec: v1beta1.PostSpec{
			Platform: v1beta1.Platform(k.Platform), Immediate: k.Immediate, ScheduledAt: metav1.NewMicroTime(k.ScheduledAt),
		},
		Status: v1beta1.PostStatus{State: v1beta1.PostState(k.State)},
	}
}
