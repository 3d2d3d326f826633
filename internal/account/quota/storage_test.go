// SPDX-License-Identifier: Apache-2.0

package quota_test

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/testkit"
)

func TestMeter(t *testing.T) {
	at := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	other := &v1beta1.MediaAsset{ObjectMeta: at("other", "a"), Status: v1beta1.MediaAssetStatus{Probe: &v1beta1.MediaProbe{Bytes: 1 << 40}}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(other,
		&v1beta1.MediaAsset{ObjectMeta: at("acme", "a"), Status: v1beta1.MediaAssetStatus{Probe: &v1beta1.MediaProbe{Bytes: 100}}},
		&v1beta1.MediaAsset{ObjectMeta: at("acme", "b")},
		&v1beta1.MusicTrack{ObjectMeta: at("acme", "a"), Status: v1beta1.MusicTrackStatus{Probe: &v1beta1.TrackProbe{Bytes: 20}}},
		&v1beta1.RenderJob{ObjectMeta: at("acme", "a"), Status: v1beta1.RenderJobStatus{Output: &v1beta1.RenderOutput{Bytes: 3}}},
		&v1beta1.Slideshow{ObjectMeta: at("acme", "a")}, &v1beta1.Video{ObjectMeta: at("acme", "a")},
	).Build()
	now := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	m := quota.NewMeter(c, now)
	a := testkit.Account("acme")
	admit := func(more quota.Stored) error { return m.Admit(t.Context(), a, more) }
	refused := func(why string, err error, resource quota.Resource, limit, used int64) {
		t.Helper()
		var e *quota.LimitError
		if !errors.As(err, &e) || *e != (quota.LimitError{Resource: resource, Limit: limit, Used: used}) {
			t.Errorf("%s: got %v", why, err)
		}
	}
	if err := admit(quota.Stored{Objects: 1, Bytes: 1 << 30}); err != nil {
		t.Errorf("the defaults: got %v", err)
	}
	refused("the default number of bytes", admit(quota.Stored{Bytes: v1beta1.DefaultMaxBytes}), quota.Bytes, v1beta1.DefaultMaxBytes, 1<<30+123)

	now.SetTime(now.Now().Add(time.Minute)) // no admitted upload arrived
	a.Spec.Plan.MaxObjects, a.Spec.Plan.MaxBytes = ptr.To[int32](8), ptr.To[int64](200)
	if err := admit(quota.Stored{Objects: 2, Bytes: 70}); err != nil {
		t.Errorf("within the limits: got %v", err)
	}
	refused("one object more at once", admit(quota.Stored{Objects: 1}), quota.Objects, 8, 8)
	refused("more bytes at once", admit(quota.Stored{Bytes: 8}), quota.Bytes, 200, 193)
	if err := admit(quota.Stored{Bytes: 7}); err != nil {
		t.Errorf("the last bytes: got %v", err)
	}
	a.Spec.Plan.MaxObjects = ptr.To[int32](0)
	refused("a plan without storage", admit(quota.Stored{}), quota.Objects, 0, 8)
	var none *quota.Meter
	if err := none.Admit(t.Context(), a, quota.Stored{Objects: 1}); err != nil {
		t.Errorf("no meter: got %v", err)
	}
}

// TestMeter_Archive counts the bytes of the archive of the account, and no objects.
func TestMeter_Archive(t *testing.T) {
	segment := func(bytes int64, removed ...int64) v1beta1.ArchiveSegment {
		return v1beta1.ArchiveSegment{Shorts: 3, Posts: 9, Bytes: 1 << 20, FilmBytes: bytes, Removed: removed}
	}
	archive := func(namespace string, segments ...v1beta1.ArchiveSegment) *v1beta1.Archive {
		return &v1beta1.Archive{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: v1beta1.ArchiveName},
			Status:     v1beta1.ArchiveStatus{Segments: segments},
		}
	}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).
		WithObjects(archive("acme", segment(100), segment(20, 7)), archive("other", segment(1<<40))).Build()
	m := quota.NewMeter(c, clocktesting.NewFakePassiveClock(time.Unix(1000, 0)))
	a := testkit.Account("acme")
	a.Spec.Plan.MaxObjects, a.Spec.Plan.MaxBytes = ptr.To[int32](0), ptr.To[int64](120)
	if err := m.Admit(t.Context(), a, quota.Stored{}); err != nil {
		t.Errorf("archived objects count: %v", err)
	}
	var e *quota.LimitError
	err := m.Admit(t.Context(), a, quota.Stored{Bytes: 1})
	if want := (quota.LimitError{Resource: quota.Bytes, Limit: 120, Used: 120}); !errors.As(err, &e) || *e != want {
		t.Errorf("got %v, want %v", err, &want)
	}
}

func TestMeter_PendingURLs(t *testing.T) {
	from := v1beta1.MediaSource{URL: ptr.To("https://example.com/a")}
	at := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "acme", Name: name} }
	work := func(s v1beta1.WorkState) *v1beta1.Work { return &v1beta1.Work{State: s} }
	clips := v1beta1.VideoSpec{Avatar: v1beta1.ClipSource{URL: from.URL}, Demos: []v1beta1.DemoClip{{ClipSource: v1beta1.ClipSource{URL: from.URL}}, {ClipSource: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "new"}}}}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(
		&v1beta1.MediaAsset{ObjectMeta: at("new"), Spec: v1beta1.MediaAssetSpec{Source: from}},
		&v1beta1.MediaAsset{ObjectMeta: at("queued"), Spec: v1beta1.MediaAssetSpec{Source: from}, Status: v1beta1.MediaAssetStatus{Work: work(v1beta1.WorkQueued)}},
		&v1beta1.MediaAsset{ObjectMeta: at("done"), Spec: v1beta1.MediaAssetSpec{Source: from}, Status: v1beta1.MediaAssetStatus{Work: work(v1beta1.WorkSucceeded)}},
		&v1beta1.MediaAsset{ObjectMeta: at("failed"), Spec: v1beta1.MediaAssetSpec{Source: from}, Status: v1beta1.MediaAssetStatus{Work: work(v1beta1.WorkFailed)}},
		&v1beta1.MediaAsset{ObjectMeta: at("upload"), Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("uploads/acme/x")}}},
		&v1beta1.MusicTrack{ObjectMeta: at("tune"), Spec: v1beta1.MusicTrackSpec{Source: from}, Status: v1beta1.MusicTrackStatus{Work: work(v1beta1.WorkProcessing)}},
		&v1beta1.Video{ObjectMeta: at("new"), Spec: clips},
		&v1beta1.Video{ObjectMeta: at("begun"), Spec: clips, Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkProcessing)}},
	).Build()
	m := quota.NewMeter(c, clocktesting.NewFakePassiveClock(time.Unix(1000, 0)))
	a := testkit.Account("acme")
	a.Spec.Plan.MaxPendingURLs = ptr.To[int32](6)
	if err := m.Admit(t.Context(), a, quota.Stored{Objects: 1, PendingURLs: 1}); err != nil {
		t.Errorf("within the limit: got %v", err)
	}
	var e *quota.LimitError
	want := quota.LimitError{Resource: quota.PendingURLs, Limit: 6, Used: 6}
	if err := m.Admit(t.Context(), a, quota.Stored{Objects: 1, PendingURLs: 1}); !errors.As(err, &e) || *e != want {
		t.Errorf("one more: got %v", err)
	}
	if err := m.Admit(t.Context(), a, quota.Stored{Objects: 1, Bytes: 1}); err != nil {
		t.Errorf("media without a URL: got %v", err)
	}
	a.Spec.Plan.MaxPendingURLs = nil
	if err := m.Admit(t.Context(), a, quota.Stored{PendingURLs: int64(v1beta1.DefaultMaxPendingURLs) - 6}); err != nil {
		t.Errorf("the default: got %v", err)
	}
}
