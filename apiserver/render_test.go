// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

func startOfMonth(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

var _ = Describe("Rendering", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })
	render := func(id string) reply {
		GinkgoHelper()
		return call("POST", "/api/v1/slideshows/"+id+"/render", t.writer, nil)
	}

	It("returns 202 with a render job and creates one RenderJob of the current revision", func() {
		s, id := t.newShow(laidOut)
		r := render(id)
		Expect(r.status).To(Equal(202), r.raw)
		Expect(r.header.Get("Retry-After")).To(MatchRegexp(`^([1-9]|1\d|2\d|30)$`))
		Expect(r.data).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "queued"), HaveKeyWithValue("poll_after_seconds", BeNumerically("<=", 30)),
			HaveKeyWithValue("render_requested_at", Not(BeNil()))))
		j := t.render(s.Name + "-r1")
		Expect(*j.Spec.Revision).To(BeEquivalentTo(1))
		Expect(j.Spec.Source.Name).To(Equal(s.Name))
		Expect(j.Labels).To(And(HaveKeyWithValue("reelops.dev/short-id", id), HaveKeyWithValue("reelops.dev/brand", "acme")))
		Expect(metav1.IsControlledBy(j, s)).To(BeTrue())
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(HaveKeyWithValue("kind", "render"))
		Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("render_status", "queued"), HaveKeyWithValue("status", "success_slideshow")))
	})

	It("shows a video of earlier slides as stale and renders the current ones", func() {
		s, id := t.newShow(laidOut)
		render(id)
		settle(t.render(s.Name+"-r1"), v1beta1.WorkSucceeded)
		s.Status.Revision = 2
		setStatus(s)
		Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("render_status", "stale"), HaveKeyWithValue("video_url", BeNil())))
		Expect(render(id).status).To(Equal(202))
		t.render(s.Name + "-r2")
	})

	It("retries a failed render under a new name", func() {
		s, id := t.newShow(laidOut)
		render(id)
		settle(t.render(s.Name+"-r1"), v1beta1.WorkFailed)
		job := call("GET", "/api/v1/jobs/"+id, t.reader, nil).data
		Expect(job).To(HaveKeyWithValue("status", "failed"))
		Expect(job["error"]).To(HaveKeyWithValue("details", map[string]any{"reason": "encoder_killed"}))
		Expect(render(id).status).To(Equal(202))
		t.render(s.Name + "-r1-2")
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(HaveKeyWithValue("status", "queued"))
	})

	It("shows an automatic render as pending from the moment the slides exist", func() {
		_, id := t.newShow(func(s *v1beta1.Slideshow) { laidOut(s); s.Spec.AutoRender = true })
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "queued")))
	})
})

var _ = Describe("The progress report of a renderer", func() {
	var t *tenant
	var j *v1beta1.RenderJob
	var id string
	attempt := func(n int32) callback.Attempt {
		return callback.Attempt{Namespace: j.Namespace, Name: j.Name, UID: string(j.UID), Number: n}
	}
	post := func(address, body string) (int, map[string]string) {
		GinkgoHelper()
		resp, err := http.Post(address, "application/json", strings.NewReader(body))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = resp.Body.Close() }()
		answer := map[string]string{}
		_ = json.NewDecoder(resp.Body).Decode(&answer)
		return resp.StatusCode, answer
	}
	progress := func(a callback.Attempt, percent string) int {
		GinkgoHelper()
		status, _ := post(signer.URL(internal.URL, callback.KindProgress, a, now.Now().Add(time.Minute)),
			`{"version":1,"percent":`+percent+`,"frame":10,"frames":300,"fps":41.6}`)
		return status
	}
	// reported is what a pod of the previous release does.
	reported := func(a callback.Attempt, body string) int {
		GinkgoHelper()
		status, _ := post(signer.URL(internal.URL, callback.KindOutcome, a, now.Now().Add(time.Minute)), body)
		return status
	}
	const failed = `{"version":1,"state":"failed","error":{"code":"generation_failed","message":"The encoder stopped.","retryable":true,"details":{"reason":"encoder_failed"}}}`
	succeeded := `{"version":1,"state":"succeeded","result":{"bytes":1234,"sha256":"` + strings.Repeat("b", 64) +
		`","duration_seconds":9.5,"width":1080,"height":1920,"frames":285,"probe":"ok","encoded":200,"render_seconds":2.5}}`

	BeforeEach(func() {
		t = newTenant(nil)
		s, short := t.newShow(laidOut)
		id = short
		call("POST", "/api/v1/slideshows/"+id+"/render", t.writer, nil)
		j = t.render(s.Name + "-r1")
		at := metav1.NewTime(now.Now())
		j.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 2, StartedAt: &at}
		j.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Progressing", LastTransitionTime: at}}
		setStatus(j)
	})

	It("is shown as the job's progress, and changes nothing else", func() {
		Expect(progress(attempt(2), "42")).To(Equal(204))
		got := t.render(j.Name)
		Expect(*got.Status.Progress).To(Equal(v1beta1.RenderProgress{Attempt: 2, Percent: 42, Frame: 10, FPS: 42}))
		Expect(got.Status.Conditions).To(HaveLen(1))
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("progress", 42.0), HaveKeyWithValue("status_message", "Rendering the video.")))
	})

	It("is written at most once a second", func() {
		Expect(progress(attempt(2), "42")).To(Equal(204))
		Expect(progress(attempt(2), "43")).To(Equal(204))
		Expect(t.render(j.Name).Status.Progress.Percent).To(BeEquivalentTo(42))
		now.SetTime(now.Now().Add(time.Second))
		Expect(progress(attempt(2), "44")).To(Equal(204))
		Expect(t.render(j.Name).Status.Progress.Percent).To(BeEquivalentTo(44))
	})

	It("is written at once when the attempt is complete, once, and is the last one", func() {
		Expect(progress(attempt(2), "98")).To(Equal(204))
		Expect(progress(attempt(2), "100")).To(Equal(204))
		complete := t.render(j.Name)
		Expect(complete.Status.Progress.Percent).To(BeEquivalentTo(100))
		now.SetTime(now.Now().Add(time.Second))
		Expect(progress(attempt(2), "99")).To(Equal(204))
		Expect(progress(attempt(2), "100")).To(Equal(204))
		Expect(t.render(j.Name).ResourceVersion).To(Equal(complete.ResourceVersion))
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(HaveKeyWithValue("progress", 99.0))
	})

	It("is rejected without a valid signature", func() {
		address := signer.URL(internal.URL, callback.KindOutcome, attempt(2), now.Now().Add(time.Minute))
		for _, bad := range []string{
			strings.Replace(address, "attempt=2", "attempt=1", 1),
			strings.Replace(address, "/outcome?", "/progress?", 1),
			signer.URL(internal.URL, callback.KindOutcome, attempt(2), now.Now().Add(-time.Second)),
		} {
			status, answer := post(bad, succeeded)
			Expect(status).To(Equal(403))
			Expect(answer).To(HaveKeyWithValue("error", "invalid_signature"))
		}
	})

	It("is rejected if it is invalid", func() {
		Expect(reported(attempt(2), `{"version":1}`)).To(Equal(400))
		Expect(reported(attempt(2), `{`)).To(Equal(400))
		Expect(progress(attempt(2), "101")).To(Equal(400))
	})

	It("is stale if the attempt or the render has ended, or the object is another", func() {
		other := attempt(2)
		other.UID = "another"
		gone := attempt(2)
		gone.Name = "gone"
		for _, a := range []callback.Attempt{attempt(1), attempt(3), other, gone} {
			Expect(progress(a, "5")).To(Equal(409))
			Expect(reported(a, succeeded)).To(Equal(409))
		}
		settle(t.render(j.Name), v1beta1.WorkFailed)
		Expect(reported(attempt(1), succeeded)).To(Equal(409))
		_, err := store.Stat(context.Background(), runner.Film(j, 2).OutcomeKey())
		Expect(err).To(MatchError(blob.ErrNotFound))
	})

	It("is stored for the controller if a pod of the previous release reports its outcome, and changes no status", func() {
		before := t.render(j.Name)
		for body, want := range map[string]func(*outcome.Outcome) bool{
			succeeded: func(o *outcome.Outcome) bool { return o.Film.Bytes == 1234 && o.Film.SHA256 == strings.Repeat("b", 64) },
			failed:    func(o *outcome.Outcome) bool { return o.Error.Reason == outcome.EncoderFailed && o.Error.Retryable },
		} {
			Expect(reported(attempt(2), body)).To(Equal(204))
			Expect(reported(attempt(2), body)).To(Equal(204))
			a := runner.Film(j, 2)
			doc, err := store.Head(context.Background(), a.OutcomeKey(), outcome.MaxBytes)
			Expect(err).NotTo(HaveOccurred())
			o, err := outcome.Parse(doc)
			Expect(err).NotTo(HaveOccurred())
			Expect(o.Order).To(Equal(a.Name()))
			Expect(want(o)).To(BeTrue(), "%s", doc)
		}
		Expect(t.render(j.Name).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	It("is not accepted on the public listener", func() {
		status, _ := post(signer.URL(public.URL, callback.KindOutcome, attempt(2), now.Now().Add(time.Minute)), succeeded)
		Expect(status).To(Equal(404))
	})
})

var _ = Describe("Blobs", func() {
	It("serves no blob without a valid signature", func() {
		Expect(call("GET", "/blobs/shorts/film.mp4", "", nil).status).To(Equal(403))
		Expect(call("GET", "/blobs/../../etc/passwd", "", nil).status).To(Equal(403))
	})
})
