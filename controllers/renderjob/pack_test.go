// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/runner"
)

// TestSegmentCache checks that a render receives the segment cache of the short's last video. Its own segments
// replace the cache when its video is ready.
func TestSegmentCache(t *testing.T) {
	ctx := t.Context()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open(ctx, blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	of := func(uid, short string, state v1beta1.WorkState, minute int) *v1beta1.RenderJob {
		return renderJob(func(j *v1beta1.RenderJob) {
			j.Name, j.UID, j.Labels = "render-"+uid, types.UID(uid), map[string]string{v1beta1.LabelShort: short}
			at := metav1.NewTime(start.Add(time.Duration(minute) * time.Minute))
			j.Status.Work.State, j.Status.Work.FinishedAt = state, &at
		})
	}
	old, last, now := of("old", "7", v1beta1.WorkSucceeded, 1), of("last", "7", v1beta1.WorkSucceeded, 2), of("now", "7", v1beta1.WorkProcessing, 0)
	now.Status.Work.FinishedAt = nil
	failed, other := of("failed", "7", v1beta1.WorkFailed, 3), of("other", "8", v1beta1.WorkSucceeded, 4)
	r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(old, last, now, failed, other).Build(), Store: store}
	for _, j := range []*v1beta1.RenderJob{old, last, now, failed, other} {
		if err := store.Put(ctx, runner.PackKey(j), "application/octet-stream", strings.NewReader("parts")); err != nil {
			t.Fatal(err)
		}
	}

	p, err := r.pack(ctx, now, time.Hour)
	if err != nil || p == nil || !strings.Contains(p.URL, runner.PackKey(last)) || !strings.Contains(p.Keep.URL, runner.PackKey(now)) {
		t.Fatalf("got %+v, %v", p, err)
	}
	first, err := r.pack(ctx, of("first", "9", v1beta1.WorkProcessing, 0), time.Hour)
	if err != nil || first == nil || first.URL != "" || first.Keep == nil {
		t.Errorf("the first render of a short gets %+v, %v, want no cache", first, err)
	}
	video := of("film", "7", v1beta1.WorkProcessing, 0)
	video.Spec.Source.Kind = v1beta1.KindVideo
	if p, err := r.pack(ctx, video, time.Hour); p != nil || err != nil {
		t.Errorf("a video gets a segment cache: %+v, %v", p, err)
	}

	there := func() (out string) {
		for _, j := range []*v1beta1.RenderJob{old, last, now, failed, other} {
			if ok, err := store.Exists(ctx, runner.PackKey(j)); err != nil {
				t.Fatal(err)
			} else if ok {
				out += string(j.UID) + " "
			}
		}
		return out
	}
	if err := r.dropPack(ctx, now); err != nil || there() != "old last now failed other " {
		t.Errorf("a render without a video deletes caches: got %s(%v)", there(), err)
	}
	now.Status.Output = &v1beta1.RenderOutput{}
	for range 2 { // like after a crash
		if err := r.dropPack(ctx, now); err != nil || there() != "old now failed other " {
			t.Errorf("want the cache of the last video replaced, got %s(%v)", there(), err)
		}
	}
}
