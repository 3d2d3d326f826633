// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"bytes"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/starter/avatar"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/hostile"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

func from(key string) v1beta1.MediaAssetSpec {
	return v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &key}}
}

func with(s v1beta1.MediaAssetSpec, change func(*v1beta1.MediaAssetSpec)) v1beta1.MediaAssetSpec {
	change(&s)
	return s
}

// ready checks the conditions against the work, and returns Ready with its message.
func (u *run) ready() (yes bool, says string) {
	u.t.Helper()
	m := u.live()
	c := meta.FindStatusCondition(m.Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil || c.ObservedGeneration != m.Generation || m.Status.ObservedGeneration != m.Generation {
		u.t.Fatalf("got conditions %+v", m.Status.Conditions)
	}
	stalled := meta.FindStatusCondition(m.Status.Conditions, string(v1beta1.ConditionStalled))
	if (stalled != nil) != (m.Status.Error != nil) {
		u.t.Errorf("got Stalled %+v with the error %+v", stalled, m.Status.Error)
	}
	return c.Status == "True", c.Message
}

// retry requests a retry with the annotation.
func (u *run) retry(value string) {
	u.t.Helper()
	m := u.live()
	before := m.DeepCopy()
	m.Annotations = map[string]string{v1beta1.AnnotationRetry: value}
	if err := u.cluster.Client.Patch(u.t.Context(), m, client.MergeFrom(before)); err != nil {
		u.t.Fatal(err)
	}
	u.settle()
}

func (u *run) refused(code catalog.Code, reason, says string) {
	u.t.Helper()
	m := u.live()
	e := m.Status.Error
	if e == nil || m.Status.Work == nil || m.Status.Work.State != v1beta1.WorkFailed || m.Status.Probe != nil || m.Status.BlobKey != "" {
		u.t.Fatalf("the asset is not rejected: %+v", m.Status)
	}
	if e.Code != string(code) || e.Details["reason"] != reason || e.Retryable || !strings.Contains(e.Message, says) {
		u.t.Errorf("rejected with %+v, want %s, %s with %q", e, code, reason, says)
	}
	if yes, message := u.ready(); yes || message != e.Message {
		u.t.Errorf("got Ready %v, %q", yes, message)
	}
}

func TestAsset_Rejections(t *testing.T) {
	st := theStage
	st.put(t, "imports/shared/square.png", pngOf(40, 40))
	st.put(t, "imports/shared/film.mp4", film)
	st.put(t, "imports/shared/text", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))
	st.put(t, "imports/shared/large.png", append(pngOf(4, 4), make([]byte, catalog.MaxImageBytes)...))
	st.put(t, "imports/shared/large.mp4", append(film[:len(film):len(film)], make([]byte, catalog.MaxVideoBytes)...))
	st.put(t, "imports/other/square.png", pngOf(40, 40))
	png, video, text := from("imports/shared/square.png"), from("imports/shared/film.mp4"), from("imports/shared/text")
	i := 0
	for name, c := range map[string]struct {
		spec         v1beta1.MediaAssetSpec
		code         catalog.Code
		reason, says string
	}{
		"another type":                {with(png, func(s *v1beta1.MediaAssetSpec) { s.ContentType = "image/jpeg" }), catalog.ValidationFailed, "type_mismatch", "declared as image/jpeg, but it is image/png"},
		"unknown type":                {text, catalog.UnsupportedMediaType, "unreadable", "image/webp"},
		"unknown type, but declared":  {with(text, func(s *v1beta1.MediaAssetSpec) { s.ContentType = "image/png" }), catalog.ValidationFailed, "type_mismatch", "is not supported"},
		"an image as an avatar":       {with(png, func(s *v1beta1.MediaAssetSpec) { s.MediaType = "avatar_video" }), catalog.ValidationFailed, "type_mismatch", "must be a video"},
		"a clip in a pack":            {with(video, func(s *v1beta1.MediaAssetSpec) { s.MediaType = "pack_image" }), catalog.ValidationFailed, "type_mismatch", "must be an image"},
		"a large image":               {from("imports/shared/large.png"), catalog.MediaTooLarge, "", "10485760"},
		"a large clip":                {from("imports/shared/large.mp4"), catalog.MediaTooLarge, "", "209715200"},
		"a missing upload":            {from("uploads/NAMESPACE/7"), catalog.ValidationFailed, "not_in_store", "no object"},
		"another tenant's import":     {from("imports/other/square.png"), catalog.ValidationFailed, "foreign_key", "is not readable"},
		"another tenant's upload":     {from("uploads/other/7"), catalog.ValidationFailed, "foreign_key", "is not readable"},
		"a path traversal":            {from("imports/NAMESPACE/../other/square.png"), catalog.ValidationFailed, "foreign_key", "is not readable"},
		"a file of another component": {from("media/NAMESPACE/x/file.png"), catalog.ValidationFailed, "foreign_key", "is not readable"},
		"an internal address":         {v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: ptr.To("https://10.0.0.1/x.png")}}, catalog.ValidationFailed, "forbidden_address", "only over https"},
	} {
		i++
		t.Run(name, func(t *testing.T) {
			u := st.start(t, "refused-"+strconv.Itoa(i), 0, "", c.spec)
			u.settle()
			u.refused(c.code, c.reason, c.says)
			if left := u.blobs(); len(left) > 0 {
				t.Errorf("left in the store: %v", left)
			}
			if n := len(u.rec.Writes); n > 5 {
				t.Errorf("got %d writes: %v", n, u.rec.Writes)
			}
			u.settle()
			if n := u.rec.Writes; len(n) > 5 {
				t.Errorf("a settled asset is written: %v", n)
			}
			if n := len(u.told.Events); n != 1 {
				t.Fatalf("got %d Events, want 1", n)
			}
			if event := <-u.told.Events; !strings.HasPrefix(event, "Warning Failed "+string(c.code)+": ") || !strings.Contains(event, c.says) {
				t.Errorf("got Event %q", event)
			}
		})
	}
}

func TestAsset_ImageOfAnImport(t *testing.T) {
	u := theStage.start(t, "import", 0, "", with(from("imports/NAMESPACE/wide.png"), func(s *v1beta1.MediaAssetSpec) { s.ContentType, s.MediaType = "image/png", "pack_image" }))
	u.put(t, "imports/import/wide.png", pngOf(1440, 720))
	u.settle()
	if yes, says := u.ready(); !yes || !strings.HasPrefix(says, "image/png, 1440x720, ") {
		t.Errorf("got Ready %v, %s", yes, says)
	}
	if diff := cmp.Diff([]string{"imports/wide.png", "media/file.png", "media/thumbnail.jpg"}, u.blobs()); diff != "" {
		t.Error(diff)
	}
	small, err := jpeg.Decode(bytes.NewReader(u.blob(u.live().Status.ThumbnailKey)))
	if err != nil {
		t.Fatal(err)
	}
	if b := small.Bounds(); b.Dx() != catalog.ThumbnailWidth || b.Dy() != catalog.ThumbnailWidth/2 {
		t.Errorf("got a thumbnail of %v", b)
	}
	if u.live().Labels[v1beta1.LabelID] != "7" {
		t.Error("the asset has no id")
	}
}

func TestAsset_ImageWithAnArchive(t *testing.T) {
	var whole, spoilt []byte
	for _, f := range hostile.NewSeeds(t).Pictures(hostile.NewBait(t)) {
		switch f.Name {
		case "JPEG":
			whole = f.Data
		case "JPEG with a ZIP behind it":
			spoilt = f.Data
		case "JPEG with a ZIP before its end":
			theStage.put(t, "imports/shared/archive.jpg", f.Data)
		}
	}
	if whole == nil || spoilt == nil {
		t.Fatal("missing seed files")
	}
	theStage.put(t, "imports/shared/behind.jpg", spoilt)
	u := theStage.start(t, "archive-behind", 0, "", from("imports/shared/behind.jpg"))
	u.settle()
	m := u.live()
	if got := u.blob(m.Status.BlobKey); !bytes.Equal(got, whole) {
		t.Errorf("stored %d bytes of %d, want the %d of the image", len(got), len(spoilt), len(whole))
	}
	if yes, _ := u.ready(); !yes || m.Status.Probe.Bytes != int64(len(whole)) {
		t.Errorf("got status %+v", m.Status)
	}

	u = theStage.start(t, "archive-inside", 0, "", from("imports/shared/archive.jpg"))
	u.settle()
	u.refused(catalog.ValidationFailed, "archive", "an archive as well as an image")
}

// server returns a URL and the number of its requests. Each response has the next status, the last one repeatedly;
// 200 sends the content.
func server(t *testing.T, content []byte, statuses ...int) (url string, asked *int) {
	asked = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := statuses[min(*asked, len(statuses)-1)]
		*asked++
		w.WriteHeader(status)
		if status == 200 {
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/x?secret=1", asked
}

// A deletion that starts before the finalizer is set leaves nothing.
func TestAsset_DeletedDuringTheFetch(t *testing.T) {
	var u *run
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := u.live()
		before := m.DeepCopy()
		if m.Finalizers = nil; len(before.Finalizers) == 0 {
			t.Error("the asset is fetched without a finalizer")
		}
		if err := u.cluster.Client.Patch(r.Context(), m, client.MergeFrom(before)); err != nil {
			t.Error(err)
		}
		if err := u.cluster.Client.Delete(r.Context(), m); err != nil {
			t.Error(err)
		}
		_, _ = w.Write(pngOf(50, 50))
	}))
	t.Cleanup(s.Close)
	url := s.URL + "/x"
	u = theStage.start(t, "gone-while-brought", 0, "", v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: &url}})
	u.settle()
	if m := u.live(); m != nil {
		t.Fatalf("the asset still exists: %+v", m.Status)
	}
	if left := u.blobs(); len(left) > 0 {
		t.Errorf("left in the store: %v", left)
	}
}

func TestAsset_Fetch(t *testing.T) {
	at := func(url string) v1beta1.MediaAssetSpec {
		return v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: &url}}
	}
	t.Run("once", func(t *testing.T) {
		url, asked := server(t, pngOf(50, 50), 200)
		u := theStage.start(t, "fetch-once", 0, "", at(url))
		u.settle()
		u.settle()
		if yes, _ := u.ready(); !yes || *asked != 1 {
			t.Errorf("got status %+v after %d requests", u.live().Status, *asked)
		}
	})
	t.Run("rejects an image without an end", func(t *testing.T) {
		url, _ := server(t, append(pngOf(4, 4), make([]byte, catalog.MaxImageBytes)...), 200)
		u := theStage.start(t, "fetch-large", 0, "", at(url))
		u.settle()
		u.refused(catalog.MediaTooLarge, "", "10485760")
	})
	t.Run("rejects a missing file of a slideshow at once", func(t *testing.T) {
		url, asked := server(t, nil, 404)
		u := theStage.start(t, "fetch-none", 0, "", at(url))
		u.requested()
		u.settle()
		u.refused(catalog.ValidationFailed, "unavailable", "answered 404")
		if *asked != 1 {
			t.Errorf("got %d requests, want 1", *asked)
		}
	})
	t.Run("rejects an unknown host of a slideshow after three attempts", func(t *testing.T) {
		u := theStage.start(t, "fetch-unknown", 0, "", at("https://nobody.example.com/a.png"))
		u.requested()
		u.settle()
		m := u.live()
		if w := m.Status.Work; m.Status.Error != nil || w.Attempt != 2 || w.Error == nil || w.Error.Details["reason"] != "unknown_host" || !w.Error.Retryable {
			t.Fatalf("after the first attempt: %+v", m.Status)
		}
		if c := meta.FindStatusCondition(m.Status.Conditions, "Ready"); c == nil || c.Message != "The name of the server has no address: check the URL; attempt 2 of 3 follows" {
			t.Errorf("got condition %+v", c)
		}
		for range 2 {
			u.clock.Step(u.last)
			u.settle()
		}
		u.refused(catalog.ValidationFailed, "unknown_host", "has no address")
	})
	t.Run("retries a server error", func(t *testing.T) {
		url, asked := server(t, pngOf(50, 50), 503, 200)
		u := theStage.start(t, "fetch-moment", 0, "", at(url))
		u.settle()
		if u.last != 20*time.Second || *asked != 1 {
			t.Fatalf("got %d requests, requeued after %s", *asked, u.last)
		}
		u.clock.Step(u.last)
		u.settle()
		if yes, _ := u.ready(); !yes || u.live().Status.Work.Attempt != 2 {
			t.Errorf("got status %+v", u.live().Status)
		}
	})
	t.Run("fails after three server errors, and retries on request", func(t *testing.T) {
		url, asked := server(t, pngOf(50, 50), 503, 503, 503, 503, 200)
		u := theStage.start(t, "fetch-away", 0, "", at(url))
		u.requested()
		for range 3 {
			u.settle()
			u.clock.Step(u.last)
		}
		m := u.live()
		if e := m.Status.Error; e == nil || !e.Retryable || m.Status.Work.State != v1beta1.WorkFailed || *asked != 3 ||
			!strings.Contains(e.Message, "503") || strings.Contains(e.Message, "secret") {
			t.Fatalf("got %d requests: %+v", *asked, m.Status)
		}
		u.retry("now")
		u.clock.Step(u.last) // the fourth response is an error, the fifth is not
		u.settle()
		if yes, _ := u.ready(); !yes || *asked != 5 || u.live().Status.Work.Attempt != 5 {
			t.Errorf("got %d requests: %+v", *asked, u.live().Status)
		}
		u.retry("again")
		if *asked != 5 {
			t.Error("a ready asset is fetched again")
		}
	})
}

func TestAsset_Clip(t *testing.T) {
	theStage.put(t, "imports/shared/clip.mp4", film)
	spec := from("imports/shared/clip.mp4")
	t.Run("is probed by a Job", func(t *testing.T) {
		u := theStage.start(t, "clip-job", 0, "", spec)
		u.settle()
		if yes, says := u.ready(); yes || says != "Inspecting the file" {
			t.Errorf("while the Job runs: Ready %v, %q", yes, says)
		}
		o := u.order()
		if o.Kind != order.ProbeVideo || o.Input.ContentType != "video/mp4" || o.Input.MaxBytes != catalog.MaxVideoBytes || o.Limits.Pixels != catalog.MaxClipPixels {
			t.Errorf("got order %+v", o)
		}
		u.ends(clip(int64(len(film))))
		if yes, says := u.ready(); !yes || says != "video/mp4, 1080x1920, 2s, "+strconv.Itoa(len(film))+" bytes" {
			t.Errorf("after the Job: Ready %v, %q", yes, says)
		}
		if p := u.live().Status.Probe; p.Kind != "video" || p.FrameRate != 30 || p.VideoCodec != "h264" || p.DurationMilliseconds != 2000 {
			t.Errorf("got probe %+v", p)
		}
	})
	t.Run("fails after three lost workers, and retries on request", func(t *testing.T) {
		u := theStage.start(t, "clip-lost", 0, "", spec)
		u.settle()
		for range 3 {
			u.ends(nil)
		}
		m := u.live()
		if e := m.Status.Error; e == nil || !e.Retryable || len(u.createdJobs()) != 3 || m.Status.BlobKey == "" {
			t.Fatalf("Jobs %v: %+v", u.createdJobs(), m.Status)
		}
		u.retry("now")
		u.ends(clip(int64(len(film))))
		if yes, _ := u.ready(); !yes || len(u.createdJobs()) != 4 {
			t.Errorf("after the retry: Jobs %v: %+v", u.createdJobs(), u.live().Status)
		}
	})
	for name, spoil := range map[string]func(*outcome.Media){
		"an impossible size":     func(r *outcome.Media) { r.Width = 100_000 },
		"an impossible duration": func(r *outcome.Media) { r.DurationMilliseconds = 1 << 39 },
		"no thumbnail":           func(r *outcome.Media) { r.Thumbnail = false },
	} {
		t.Run("rejects a report with "+name, func(t *testing.T) {
			u := theStage.start(t, "clip-lie-"+strconv.Itoa(len(name)), 0, "", spec)
			u.settle()
			out := clip(int64(len(film)))
			spoil(out.Media)
			u.ends(out)
			if e := u.live().Status.Error; e == nil || e.Code != string(catalog.InternalError) {
				t.Errorf("got status %+v", u.live().Status)
			}
		})
	}
	t.Run("waits for a free slot", func(t *testing.T) {
		u := theStage.start(t, "clip-many", 0, "", spec)
		u.r.Intake.Jobs.Slots = runner.NewSlots(1)
		u.r.Intake.Jobs.Slots.Hold("elsewhere", "somebody")
		u.settle()
		if len(u.createdJobs()) != 0 || u.last != time.Second {
			t.Fatalf("got Jobs %v, requeued after %s", u.createdJobs(), u.last)
		}
		u.r.Intake.Jobs.Slots.Free("somebody")
		u.settle()
		u.ends(clip(int64(len(film))))
		if yes, _ := u.ready(); !yes || !u.r.Intake.Jobs.Slots.Take("elsewhere", "somebody") {
			t.Errorf("got status %+v", u.live().Status)
		}
	})
	t.Run("rejects an unknown starter clip", func(t *testing.T) {
		u := theStage.start(t, "clip-nobody", 0, "", v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{Starter: ptr.To("nobody")}})
		u.settle()
		u.refused(catalog.ValidationFailed, "", "cannot be used")
		slots := u.r.Intake.Jobs.Slots
		if len(u.createdJobs()) != 0 || !slots.Take("elsewhere", "1") || !slots.Take("else", "2") {
			t.Error("the asset holds a slot, or a Job was created")
		}
	})
	t.Run("of the starter set is created by a Job", func(t *testing.T) {
		name := avatar.All()[0].Name
		u := theStage.start(t, "clip-starter", 0, "", v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{Starter: &name}})
		u.settle()
		o := u.order()
		if o.Kind != order.StarterClip || o.Starter != name || o.File == nil || o.Input != nil {
			t.Fatalf("got order %+v", o)
		}
		u.put(t, runner.MediaPrefix(u.live())+starterFile, film)
		u.ends(clip(int64(len(film))))
		if yes, _ := u.ready(); !yes || !strings.HasSuffix(u.live().Status.BlobKey, "/file.mp4") {
			t.Errorf("got status %+v", u.live().Status)
		}
	})
}

// TestAsset_WaitsForAnAccount covers a URL, which a pass would fetch, and a clip, which would need a Job.
func TestAsset_WaitsForAnAccount(t *testing.T) {
	url, asked := server(t, pngOf(50, 50), 200)
	theStage.put(t, "imports/no-account-clip/clip.mp4", film)
	for namespace, source := range map[string]v1beta1.MediaSource{
		"no-account-url":  {URL: &url},
		"no-account-clip": {BlobKey: ptr.To("imports/NAMESPACE/clip.mp4")},
	} {
		u := theStage.start(t, namespace, 0, "", v1beta1.MediaAssetSpec{Source: source})
		u.r.Intake.Gate = &tenancy.Gate{Accounts: u.rec}
		u.settle()
		ready := meta.FindStatusCondition(u.live().Status.Conditions, string(v1beta1.ConditionReady))
		if ready == nil || ready.Reason != string(v1beta1.ReasonAccountNotFound) || u.last != tenancy.Retry || u.live().Status.Work != nil {
			t.Errorf("%s: got %+v, requeued after %s, work %+v", namespace, ready, u.last, u.live().Status.Work)
		}
		if *asked != 0 || len(u.createdJobs()) > 0 || u.live().Status.BlobKey != "" {
			t.Errorf("%s: got %d requests, Jobs %v, blob key %q", namespace, *asked, u.createdJobs(), u.live().Status.BlobKey)
		}
		if err := u.cluster.Client.Create(t.Context(), testkit.Account(namespace)); err != nil {
			t.Fatal(err)
		}
		if got := u.r.waitingIn(t.Context(), testkit.Account(namespace)); len(got) != 1 || got[0].NamespacedName != u.key {
			t.Errorf("%s: the Account triggers %v", namespace, got)
		}
		u.settle()
		if u.live().Status.BlobKey == "" {
			t.Errorf("%s: not ingested although the Account exists: %+v", namespace, u.live().Status)
		}
		if len(u.createdJobs()) != strings.Count(namespace, "clip") {
			t.Errorf("%s: got Jobs %v", namespace, u.createdJobs())
		}
		*asked = 0
	}
}
