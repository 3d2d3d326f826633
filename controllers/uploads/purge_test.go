// SPDX-License-Identifier: Apache-2.0

package uploads_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/uploads"
	"github.com/reelops/reelops/internal/testkit"
)

func asset(name, key string, change func(*v1beta1.MediaAsset)) *v1beta1.MediaAsset {
	m := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name}, Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &key}}}
	if change != nil {
		change(m)
	}
	return m
}

func cluster(objects ...client.Object) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(objects...).Build()
}

func TestPass(t *testing.T) {
	takenIn := func(m *v1beta1.MediaAsset) { m.Status.BlobKey = "media/acme/uid/file.png" }
	failed := func(retryable bool) func(*v1beta1.MediaAsset) {
		return func(m *v1beta1.MediaAsset) { m.Status.Error = &v1beta1.WorkError{Retryable: retryable} }
	}
	const key = "uploads/acme/1"
	for _, c := range []struct {
		why     string
		asset   *v1beta1.MediaAsset
		age     time.Duration
		removed bool
	}{
		{"an unclaimed upload", nil, 25*time.Hour + time.Minute, true},
		{"an upload that can still be claimed, or whose claim is in progress", nil, 25*time.Hour - time.Minute, false},
		{"a claimed upload that is not ingested yet", asset("media-1", key, nil), 1000 * time.Hour, false},
		{"an ingested upload that was uploaded again", asset("media-1", key, takenIn), 26 * time.Hour, true},
		{"an upload that was ingested recently", asset("media-1", key, takenIn), time.Hour, false},
		{"a rejected upload", asset("media-1", key, failed(false)), 26 * time.Hour, true},
		{"a failed upload that may be retried", asset("media-1", key, failed(true)), 26 * time.Hour, false},
		{"an upload of a manifest with another name", asset("mine", key, nil), 26 * time.Hour, false},
		{"an asset with the name has another file", asset("media-1", "imports/acme/x.png", nil), 26 * time.Hour, true},
		{"an asset with the id belongs to another account", asset("media-1", "uploads/beta/1", nil), 26 * time.Hour, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			clk := testclock.NewFakeClock(time.Now())
			s := testkit.Files(t, clk, key, "media/acme/uid/file.png", "imports/acme/x.png", "shorts/acme/1/slide.png")
			k := cluster()
			if c.asset != nil {
				k = cluster(c.asset)
			}
			clk.Step(c.age)
			p := &uploads.Purge{Store: s, Live: k, Cached: k, Clock: clk}
			n, err := p.Pass(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"imports/acme/x.png", "media/acme/uid/file.png", "shorts/acme/1/slide.png", key}
			if c.removed {
				want = want[:3]
			}
			if got := testkit.Keys(t, s); !cmp.Equal(got, want) || (n == 1) != c.removed {
				t.Errorf("deleted %d, left %v, want %v", n, got, want)
			}
		})
	}
}

func TestPass_DeletesUnknownFiles(t *testing.T) {
	clk := testclock.NewFakeClock(time.Now())
	s := testkit.Files(t, clk, "uploads/acme/notes.txt", "uploads/stray", "uploads/acme/1/2")
	clk.Step(26 * time.Hour)
	k := cluster()
	if n, err := (&uploads.Purge{Store: s, Live: k, Cached: k, Clock: clk}).Pass(t.Context()); n != 3 || err != nil {
		t.Errorf("deleted %d, error %v", n, err)
	}
}

func TestPass_ContinuesAfterAnError(t *testing.T) {
	clk := testclock.NewFakeClock(time.Now())
	s := testkit.Files(t, clk, "uploads/acme/1", "uploads/acme/2", "uploads/acme/3")
	clk.Step(26 * time.Hour)
	k := cluster()
	broken := errors.New("the cluster is away")
	live := interceptor.NewClient(k, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if key.Name == "media-2" {
			return broken
		}
		return c.Get(ctx, key, o, opts...)
	}})
	n, err := (&uploads.Purge{Store: s, Live: live, Cached: k, Clock: clk}).Pass(t.Context())
	if n != 2 || !errors.Is(err, broken) {
		t.Errorf("deleted %d, error %v", n, err)
	}
	if got := testkit.Keys(t, s); !cmp.Equal(got, []string{"uploads/acme/2"}) {
		t.Errorf("left %v, want the upload that could not be checked", got)
	}
}

func TestStart_RunsUntilStopped(t *testing.T) {
	clk := testclock.NewFakeClock(time.Now())
	s := testkit.Files(t, clk, "uploads/acme/1")
	k := cluster()
	asked := make(chan string, 10)
	live := interceptor.NewClient(k, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		asked <- key.Name
		return errors.New("not now")
	}})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	p := &uploads.Purge{Store: s, Live: live, Cached: k, TTL: time.Hour, Clock: clk}
	go func() { done <- p.Start(ctx) }()
	for range 3 { // a failed pass is repeated
		for !clk.HasWaiters() {
			select {
			case err := <-done:
				t.Fatalf("Start returned: %v", err)
			default:
			}
		}
		clk.Step(2 * time.Hour)
		if name := <-asked; name != "media-1" {
			t.Errorf("got a read of %s", name)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
