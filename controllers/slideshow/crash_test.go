// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// writer is a text model that counts its calls.
type writer struct {
	calls  int
	err    error
	before func() // called before each response
}

func (w *writer) Write(context.Context, textgen.Request) (textgen.Draft, error) {
	w.calls++
	if w.before != nil {
		w.before()
	}
	if w.err != nil {
		return textgen.Draft{}, w.err
	}
	return textgen.Draft{Language: "en", Title: "Tea", Caption: "About tea.", Tags: []string{"tea"}, Slides: []textgen.Slide{
		{Role: textgen.RoleHook, Heading: "Tea"}, {Role: textgen.RolePoint, Heading: "Leaves"}, {Role: textgen.RoleCallToAction, Heading: "Drink"},
	}}, nil
}

// stage is shared by the scenarios of a test: the cluster and one Drawer.
type stage struct {
	cluster *testkit.Cluster
	drawer  *slides.Drawer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	cluster := shared.Start(t)
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + filepath.Join(t.TempDir(), "blobs"), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{1}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := overlay.New()
	if err != nil {
		t.Fatal(err)
	}
	return &stage{cluster: cluster, drawer: &slides.Drawer{Store: store, Engine: engine, Parallel: 2}}
}

// picture returns a stored JPEG.
func (st *stage) picture(t *testing.T, key string) image.Image {
	t.Helper()
	body, err := st.drawer.Store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	return img
}

// run is one scenario: a tenant with a plan of one slideshow, and that slideshow.
type run struct {
	t     *testing.T
	key   client.ObjectKey
	r     *Reconciler
	rec   *testkit.Recorder
	clock *clocktesting.FakeClock
	text  *writer
	user  client.Client // whose writes never fail
	// door creates the reservation of the front end before the slideshow. created is called after that.
	door    quota.Need
	created func()
	// others does the work of other controllers, and reports whether anything changed; nil means nothing. talker does it
	// for a voice-over.
	others func() bool
	talker *talker
	// lostText reports whether the text model had answered and the text was not stored when the write failed.
	lostText bool
}

func (st *stage) run(t *testing.T, namespace string, w *writer, failAt int, f testkit.Fault, prepare ...func(*run, *v1beta1.Account, *v1beta1.Slideshow)) *run {
	t.Helper()
	ctx := t.Context()
	rec, err := st.cluster.Recorder(map[string]client.IndexerFunc{IndexRenderSource: RenderSourceIndex, slides.IndexPack: slides.PackIndex})
	if err != nil {
		t.Fatal(err)
	}
	account := testkit.Account(namespace)
	account.Spec.Plan.SlideshowLimit = ptr.To[int32](1)
	s := testkit.Slideshow(namespace, "tea", "acme", "All about tea, for people who like it.")
	s.Spec.AutoRender, s.Spec.DesignStyle = true, "bold_center"
	s.Spec.AspectRatio = "4:5"
	u := &run{t: t, key: client.ObjectKeyFromObject(s), rec: rec, text: w, user: st.cluster.Client, clock: clocktesting.NewFakeClock(time.Now().Truncate(time.Second))}
	u.r = &Reconciler{
		Client: rec, Live: rec, Ledger: ledger.New(rec, rec, u.clock), Clock: u.clock, Events: events.NewFakeRecorder(100), Writer: w, Drawer: st.drawer, Recent: slides.NewRecent(),
		NextID: func(context.Context) (int64, error) { return 7, nil },
	}
	for _, p := range prepare {
		p(u, account, s)
	}
	for _, o := range []client.Object{testkit.Namespace(namespace), account, testkit.Brand(namespace, "acme")} {
		if err := st.cluster.Client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if u.door != (quota.Need{}) {
		if _, err := ledger.New(st.cluster.Client, st.cluster.Client, u.clock).Hold(ctx, namespace, s.Name, u.door); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.cluster.Client.Create(ctx, s); err != nil {
		t.Fatal(err)
	}
	u.clock.SetTime(s.CreationTimestamp.Add(time.Second))
	if u.created != nil {
		u.created()
	}
	rec.FailAt, rec.Fault = failAt, f
	rec.OnFault = func() {
		s := &v1beta1.Slideshow{}
		there := rec.Get(ctx, u.key, s) == nil
		u.lostText = there && w.calls == 1 && w.err == nil && s.Status.Text == nil
	}
	u.settle()
	return u
}

func (u *run) live() *v1beta1.Slideshow {
	u.t.Helper()
	s := &v1beta1.Slideshow{}
	if err := u.rec.Get(u.t.Context(), u.key, s); err != nil {
		u.t.Fatal(err)
	}
	return s
}

// settle runs passes until one requests no requeue, like the work queue. A failed pass is repeated, and so is a pass
// that created a render, because of the watch on renders. It also returns when the slideshow is deleted.
func (u *run) settle() {
	u.t.Helper()
	for range 60 {
		n := len(u.rec.Writes)
		s := &v1beta1.Slideshow{}
		if err := u.rec.Get(u.t.Context(), u.key, s); apierrors.IsNotFound(err) {
			return
		} else if err != nil {
			u.t.Fatal(err)
		}
		result, err := u.r.Reconcile(u.t.Context(), s)
		if u.others != nil && u.others() {
			continue
		}
		if err == nil && result.RequeueAfter == 0 && !slices.Contains(u.rec.Writes[n:], "create RenderJob") {
			return
		}
		u.clock.Step(result.RequeueAfter)
	}
	u.t.Fatalf("the passes keep writing: %v", u.rec.Writes)
}

// isStable checks that another pass writes nothing, even after some time.
func (u *run) isStable() {
	u.t.Helper()
	u.clock.Step(2 * time.Second)
	n := len(u.rec.Writes)
	u.settle()
	if extra := u.rec.Writes[n:]; len(extra) > 0 {
		u.t.Errorf("a pass in steady state wrote %v", extra)
	}
}

func (u *run) used() int32 {
	u.t.Helper()
	a := &v1beta1.Account{}
	if err := u.rec.Get(u.t.Context(), client.ObjectKey{Namespace: u.key.Namespace, Name: v1beta1.AccountName}, a); err != nil {
		u.t.Fatal(err)
	}
	return quota.Of(a, u.clock.Now()).Used
}

// final returns the status without values that differ between runs: times, and values that depend on the uid.
func (u *run) final() v1beta1.SlideshowStatus {
	u.t.Helper()
	s := u.live()
	st := s.Status.DeepCopy()
	st.Work.StartedAt, st.Work.FinishedAt = nil, nil
	if j := st.Job; j != nil {
		j.RequestedAt, j.StartedAt, j.FinishedAt = metav1.Time{}, nil, nil
	}
	for i := range st.Conditions {
		st.Conditions[i].LastTransitionTime = metav1.Time{}
		// The number of normalizations depends on the backgrounds, which depend on the uid.
		if st.Conditions[i].Type == string(v1beta1.ConditionDrawn) {
			st.Conditions[i].Reason, st.Conditions[i].Message = "", ""
		}
	}
	for i := range st.Slides {
		st.Slides[i] = v1beta1.Slide{ID: st.Slides[i].ID}
	}
	st.Normalizations, st.VisualHash = nil, ""
	for _, k := range []*string{&st.PreviewKey, &st.ThumbnailKey} {
		if !strings.HasPrefix(*k, slides.Prefix(s)) {
			u.t.Errorf("%q is not below %q", *k, slides.Prefix(s))
		}
		*k = filepath.Base(*k)
	}
	return *st
}

// everyFault runs a scenario once without a fault, and then once for each kind of failure of each of its writes.
func everyFault(t *testing.T, prefix string, scenario func(t *testing.T, namespace string, failAt int, f testkit.Fault) *run, check func(t *testing.T, clean, u *run)) {
	clean := scenario(t, prefix+"-clean", 0, "")
	check(t, clean, clean)
	for _, cell := range testkit.Cells(clean.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			t.Parallel() // each has its own namespace
			check(t, clean, scenario(t, prefix+"-"+cell.Tag, cell.At, cell.Fault))
		})
	}
}

func TestSlideshow_SurvivesFaults(t *testing.T) {
	st := newStage(t)

	t.Run("a slideshow that succeeds", func(t *testing.T) {
		everyFault(t, "good", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{}, n, f)
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
				t.Errorf("the final state differs (-clean +this):\n%s", diff)
			}
			if s := u.live(); s.Status.Work.State != v1beta1.WorkSucceeded || s.Status.Work.Attempt != 1 || s.Status.Charge.Charges != 1 || s.Status.Charge.Refunds != 0 {
				t.Errorf("got work %+v, charge %+v", s.Status.Work, s.Status.Charge)
			}
			if n := u.used(); n != 1 {
				t.Errorf("charged %d times", n)
			}
			want := 1
			if u.lostText {
				want = 2 // the loss cannot be detected
			}
			if u.text.calls != want {
				t.Errorf("the text was generated %d times, want %d", u.text.calls, want)
			}
			var renders v1beta1.RenderJobList
			if err := u.rec.List(t.Context(), &renders, client.InNamespace(u.key.Namespace)); err != nil {
				t.Fatal(err)
			}
			if len(renders.Items) != 1 || renders.Items[0].Name != "tea-r1" {
				t.Fatalf("got %d renders, want 1", len(renders.Items))
			}
			if f := renders.Items[0].Finalizers; !slices.Contains(f, v1beta1.FinalizerRenderJob) {
				t.Errorf("the RenderJob has no finalizer: %v", f)
			}
			u.isStable()
		})
	})

	t.Run("a slideshow that fails because of the model", func(t *testing.T) {
		everyFault(t, "bad", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			return st.run(t, ns, &writer{err: textgen.Fail("The model is away", true, nil)}, n, f)
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			s := u.live()
			if s.Status.Work.State != v1beta1.WorkFailed || s.Status.Work.Attempt != 3 || !s.Status.Work.Error.Retryable {
				t.Errorf("got work %+v", s.Status.Work)
			}
			if n := u.used(); n != 0 || s.Status.Charge.Refunds != 1 {
				t.Errorf("used %d, charge %+v", n, s.Status.Charge)
			}
			u.isStable()
		})
	})

	t.Run("a retry after a refund", func(t *testing.T) {
		everyFault(t, "again", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			w := &writer{err: textgen.Fail("The model is away", true, nil)}
			u := st.run(t, ns, w, n, f)
			w.err = textgen.Fail("The context is empty", false, nil)
			s := u.live()
			s.Annotations = map[string]string{v1beta1.AnnotationRetry: "1"}
			if err := st.cluster.Client.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			u.settle()
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			s := u.live()
			if c := s.Status.Charge; u.used() != 1 || c.Charges != 2 || c.Refunds != 1 {
				t.Errorf("used %d, charge %+v", u.used(), c)
			}
			if s.Status.Work.State != v1beta1.WorkFailed || s.Status.Work.Error.Message != "The context is empty" {
				t.Errorf("got work %+v", s.Status.Work)
			}
			u.isStable()
		})
	})
}
