// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/starter/starterset"
)

func TestDecide(t *testing.T) {
	items := starterset.Items()[:3]
	begun := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	later := begun.Add(time.Hour)
	there := func(version string, settled bool) object {
		return object{&v1beta1.MediaAsset{}, version, settled}
	}
	good := func(n int) object { return there(items[n].Version(), true) }
	leaving := good(0)
	leaving.Object = &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: begun}}}
	name := func(n int) string { return items[n].Name }
	for _, c := range []struct {
		why     string
		now     time.Time
		objects map[string]object
		busy    bool
		known   map[string]bool
		ids     map[string]string
		kind    kind
		item    string
		requeue time.Duration
	}{
		{why: "nothing is created in the first minute", now: begun.Add(20 * time.Second), kind: nothing, requeue: 40 * time.Second},
		{why: "then the first item is created", now: begun.Add(time.Minute), kind: create, item: name(0)},
		{why: "user work has precedence", now: later, busy: true, kind: nothing, requeue: busyWait},
		{why: "one item is created at a time", now: later, objects: map[string]object{name(0): there(items[0].Version(), false)}, kind: nothing},
		{why: "the next item is created once the previous one has settled", now: later, objects: map[string]object{name(0): good(0)}, kind: create, item: name(1)},
		{why: "a gap is filled", now: later, objects: map[string]object{name(0): good(0), name(2): good(2)}, kind: create, item: name(1)},
		{why: "an item that a user deleted is not restored", now: later, objects: map[string]object{name(0): good(0)}, known: map[string]bool{name(1): true}, kind: create, item: name(2)},
		{why: "a complete set is not checked again, busy or not", now: later, busy: true, objects: map[string]object{name(0): good(0), name(1): good(1), name(2): good(2)}, kind: nothing},
		{why: "an item with another title is patched", now: later, objects: map[string]object{name(0): there("1-000000000000", true)}, kind: patch, item: name(0)},
		{why: "an item with another file is replaced", now: later, objects: map[string]object{name(0): there("0-000000000000", true)}, kind: replace, item: name(0)},
		{why: "an item is not replaced while it may be in use", now: later, busy: true, objects: map[string]object{name(0): there("0-000000000000", true)}, kind: nothing, requeue: busyWait},
		{why: "an item is not recreated before it is deleted", now: later, objects: map[string]object{name(0): leaving}, known: map[string]bool{name(0): true}, kind: nothing},
		{why: "a deleted item is recreated with its id", now: later, known: map[string]bool{name(0): true}, ids: map[string]string{name(0): "7"}, kind: create, item: name(0)},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := decide(items, observed{objects: c.objects, busy: c.busy}, state{startedAt: begun, known: c.known, replaced: c.ids}, c.now)
			if got.kind != c.kind || got.item.Name != c.item || got.requeue != c.requeue {
				t.Errorf("%s %s requeue %s, want %s %s requeue %s", got.kind, got.item.Name, got.requeue, c.kind, c.item, c.requeue)
			}
		})
	}
}

func TestBusy(t *testing.T) {
	work := func(s v1beta1.WorkState) *v1beta1.Work { return &v1beta1.Work{State: s} }
	show := func(s v1beta1.WorkState) *v1beta1.Slideshow {
		return &v1beta1.Slideshow{Status: v1beta1.SlideshowStatus{Work: work(s)}}
	}
	film := func(s v1beta1.WorkState, timeline string) *v1beta1.RenderJob {
		return &v1beta1.RenderJob{Status: v1beta1.RenderJobStatus{Work: work(s), TimelineKey: timeline}}
	}
	for _, c := range []struct {
		why  string
		got  []string
		busy bool
	}{
		{"a slideshow in progress", BusyIndex(show(v1beta1.WorkProcessing)), true},
		{"a slideshow that waits for a pack", BusyIndex(show(v1beta1.WorkQueued)), false},
		{"a finished slideshow", BusyIndex(show(v1beta1.WorkSucceeded)), false},
		{"a render whose pod has not started", BusyIndex(film(v1beta1.WorkQueued, "key")), true},
		{"a render in progress", BusyIndex(film(v1beta1.WorkProcessing, "key")), true},
		{"a render that waits for its slides", BusyIndex(film(v1beta1.WorkQueued, "")), false},
		{"a failed render", BusyIndex(film(v1beta1.WorkFailed, "key")), false},
		{"a slideshow without status", BusyIndex(&v1beta1.Slideshow{}), false},
		{"a video in progress", BusyIndex(&v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkProcessing)}}), true},
		{"a video that waits for a clip", BusyIndex(&v1beta1.Video{}), false},
		{"a video with a render, which counts itself", BusyIndex(&v1beta1.Video{Status: v1beta1.VideoStatus{Work: work(v1beta1.WorkProcessing), Render: &v1beta1.RenderSummary{}}}), false},
	} {
		if (len(c.got) > 0) != c.busy {
			t.Errorf("%s: got %v", c.why, c.got)
		}
	}
}
