// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"errors"
	"runtime"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
)

func aShow(name, version string) *v1beta1.Slideshow {
	return &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
		Namespace: "n", Name: name, ResourceVersion: version, Labels: map[string]string{v1beta1.LabelID: "7"},
	}}
}

func aRender(version string) *v1beta1.RenderJob {
	return &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{
		Namespace: "n", Name: "r", ResourceVersion: version, Labels: map[string]string{v1beta1.LabelShort: "7"},
	}}
}

// waiting reports whether a reader of an account would have to wait now.
func waiting(x *Shorts, namespace string) bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return errors.Is(x.Await(ctx, namespace), context.Canceled)
}

func TestReadersWaitForWrites(t *testing.T) {
	leaving := aShow("s", "12")
	leaving.DeletionTimestamp = &metav1.Time{Time: epoch}
	for _, c := range []struct {
		why   string
		do    func(x *Shorts)
		waits bool
	}{
		{"nothing was written", func(*Shorts) {}, false},
		{"a new object without its event", func(x *Shorts) { x.Wrote(aShow("s", "10")) }, true},
		{"a new object with its event", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Slideshows().OnAdd(aShow("s", "10"), false)
		}, false},
		{"an event before the answer to the write", func(x *Shorts) {
			x.Slideshows().OnAdd(aShow("s", "10"), false)
			x.Wrote(aShow("s", "10"))
		}, false},
		{"a change with only an earlier event", func(x *Shorts) {
			x.Slideshows().OnAdd(aShow("s", "9"), false)
			x.Wrote(aShow("s", "10"))
		}, true},
		{"a change with a later event", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Slideshows().OnAdd(aShow("s", "11"), false)
		}, false},
		{"versions are compared as numbers", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Slideshows().OnAdd(aShow("s", "9"), false)
		}, true},
		{"an event of another object", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Slideshows().OnAdd(aShow("t", "11"), false)
		}, true},
		{"an event of another kind with the same name", func(x *Shorts) {
			x.Wrote(aShow("r", "10"))
			x.RenderJobs().OnAdd(aRender("11"), false)
		}, true},
		{"a render without its event", func(x *Shorts) { x.Wrote(aRender("10")) }, true},
		{"a render with an earlier event", func(x *Shorts) {
			x.RenderJobs().OnAdd(aRender("10"), false)
			x.Wrote(aRender("10"))
		}, false},
		{"an object deleted again", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Slideshows().OnDelete(aShow("s", "9"))
		}, false},
		{"one of two writes without its event", func(x *Shorts) {
			x.Wrote(aShow("s", "10"))
			x.Wrote(aShow("t", "11"))
			x.Slideshows().OnAdd(aShow("t", "11"), false)
		}, true},
		{"a deletion without its event", func(x *Shorts) {
			x.Slideshows().OnAdd(aShow("s", "9"), false)
			x.Deleted(aShow("s", "9"))
		}, true},
		{"a deletion with its event", func(x *Shorts) {
			x.Slideshows().OnAdd(aShow("s", "9"), false)
			x.Deleted(aShow("s", "9"))
			x.Slideshows().OnDelete(aShow("s", "9"))
		}, false},
		{"a deletion of an object with finalizers", func(x *Shorts) {
			x.Slideshows().OnAdd(aShow("s", "9"), false)
			x.Deleted(aShow("s", "9"))
			x.Slideshows().OnUpdate(aShow("s", "9"), leaving)
		}, false},
		{"a kind that is in no list", func(x *Shorts) {
			x.Wrote(&v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "b", ResourceVersion: "9"}})
		}, false},
		{"an object that is in no list yet", func(x *Shorts) {
			s := aShow("s", "10")
			s.Labels = nil
			x.Wrote(s)
		}, false},
	} {
		x := New(clocktesting.NewFakeClock(epoch))
		c.do(x)
		if got := waiting(x, "n"); got != c.waits {
			t.Errorf("%s: a reader waits: %v, want %v", c.why, got, c.waits)
		}
		if waiting(x, "other") {
			t.Errorf("%s: readers of another account wait", c.why)
		}
		if !c.waits && (x.writes.count.Load() != 0 || len(x.writes.open) != 0) {
			t.Errorf("%s: entries are left: %d %v", c.why, x.writes.count.Load(), x.writes.open)
		}
	}
}

// TestWrites_WakeReaders lets a reader begin to wait before the event arrives.
func TestWrites_WakeReaders(t *testing.T) {
	x := New(clocktesting.NewFakeClock(epoch))
	x.Wrote(aShow("s", "10"))
	woken := make(chan error)
	go func() { woken <- x.Await(context.Background(), "n") }()
	x.Slideshows().OnAdd(aShow("s", "10"), false)
	if err := <-woken; err != nil {
		t.Error(err)
	}
	if _, _, ok := x.Get("n", 7); !ok {
		t.Error("woken before the short exists")
	}
}

func TestWrites_WaitTimesOut(t *testing.T) {
	now := clocktesting.NewFakeClock(epoch)
	x := New(now)
	x.Wrote(aShow("s", "10"))
	woken := make(chan error)
	go func() { woken <- x.Await(context.Background(), "n") }()
	for !now.HasWaiters() {
		runtime.Gosched()
	}
	now.Step(Patience)
	if err := <-woken; err != nil {
		t.Error(err)
	}
	if waiting(x, "n") || len(x.writes.open) != 0 {
		t.Error("the next reader waits for a write that timed out")
	}
}
