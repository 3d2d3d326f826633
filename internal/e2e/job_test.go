// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// mainJob creates a video from a text as an API client does, and checks it with ffprobe.
func (s *stack) mainJob(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	made := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{
		"context":     "Three ways to fall asleep sooner. Keep the bedroom cool. Put the phone away. Read ten pages.",
		"slide_count": 3,
	})
	if made.Kind != "slideshow_generation" || (made.Status != "queued" && made.Status != "processing") {
		t.Errorf("the first answer has job %+v", made)
	}
	drawn := a.succeeded(t, made.ID, "slideshow_generation")
	if drawn.Result.Slides.Count != 3 || drawn.Result.VideoURL != nil {
		t.Errorf("the generation has result %+v", drawn.Result)
	}
	if _, _, err := image.Decode(bytes.NewReader(download(t, drawn.Result.PreviewURL))); err != nil {
		t.Errorf("decoding the contact sheet: %v", err)
	}
	path := fmt.Sprintf("/slideshows/%d/render", made.ID)
	if j := a.accepted(t, http.MethodPost, path, nil); j.Kind != "render" || j.ID != made.ID {
		t.Errorf("the first answer of the render has job %+v", j)
	}
	video, attempts := s.video(t, a, made.ID)
	if attempts != 1 {
		t.Errorf("got %d attempts, want 1", attempts)
	}
	if there := s.stored("renders", tenant, string(s.render(t, made.ID).UID)); !slices.Contains(there, packName) {
		t.Errorf("the segment cache of the video is missing: got %v", there)
	}
	sh := a.short(t, made.ID)
	if sh.Status != "success_slideshow" || sh.RenderStatus != "succeeded" || len(sh.TypeData.Slides) != 3 {
		t.Errorf("got short %+v", sh)
	}
	for _, sl := range sh.TypeData.Slides {
		c, _, err := image.DecodeConfig(bytes.NewReader(download(t, sl.Rendered)))
		if err != nil || c.Width != 1080 || c.Height != 1920 {
			t.Errorf("got a slide of %dx%d (%v), want 1080x1920", c.Width, c.Height, err)
		}
	}
	checkVideo(t, video, 1080, 1920, sh.Duration)

	again, err := a.do(http.MethodPost, path, nil)
	if err != nil || again.status != http.StatusConflict {
		t.Errorf("rendering a rendered short: got %+v %v, want 409", again, err)
	}
}

// checkVideo checks a video with ffprobe.
func checkVideo(t *testing.T, video []byte, width, height int, seconds float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(path, video, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffprobe", "-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Streams []struct {
			Codec   string `json:"codec_name"`
			Profile string `json:"profile"`
			Pixels  string `json:"pix_fmt"`
			Width   int    `json:"width"`
			Height  int    `json:"height"`
			Rate    string `json:"avg_frame_rate"`
			Frames  string `json:"nb_read_packets"`
			Samples string `json:"sample_rate"`
		} `json:"streams"`
		Format struct {
			Duration string `json:"duration"`
		} `json:"format"`
	}
	if err := json.Unmarshal(out, &p); err != nil || len(p.Streams) != 2 {
		t.Fatalf("got %d streams (%v), want 2", len(p.Streams), err)
	}
	v, sound := p.Streams[0], p.Streams[1]
	got := fmt.Sprintf("%s %s %s %dx%d %s %s, %s %s", v.Codec, v.Profile, v.Pixels, v.Width, v.Height, v.Rate, v.Frames, sound.Codec, sound.Samples)
	want := fmt.Sprintf("h264 High yuv420p %dx%d 30/1 %.0f, aac 48000", width, height, math.Round(seconds*30))
	if got != want {
		t.Errorf("got video %s, want %s", got, want)
	}
	if d, _ := strconv.ParseFloat(p.Format.Duration, 64); math.Abs(d-seconds) > 0.1 {
		t.Errorf("got a video of %.2f s, want %.2f", d, seconds)
	}
}

// pack applies a custom media pack, and waits until it has an id and its condition reports that it has no image.
func (s *stack) pack(t *testing.T) {
	t.Helper()
	if out, err := s.program("", "kubectl", "apply", "-f", filepath.Join(repository(), "config", "samples", "files", "mediapack.yaml")); err != nil {
		t.Fatal(err, out)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		pack := &v1beta1.MediaPack{}
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "seaside"}, pack)).To(Succeed())
		g.Expect(pack.Labels).To(HaveKey(v1beta1.LabelID))
		ready := meta.FindStatusCondition(pack.Status.Conditions, string(v1beta1.ConditionReady))
		g.Expect(ready).To(HaveValue(HaveField("Reason", string(v1beta1.ReasonMediaNotReady))))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}

// manifests applies the samples and checks that they end in the same state as a request over REST.
func (s *stack) manifests(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	samples, err := s.program("", "kubectl", "kustomize", filepath.Join(repository(), "config", "samples"))
	if err != nil {
		t.Fatal(err)
	}
	// videos with motion are created over REST
	const quick = "  autoRender: true\n  film: {motion: still, transition: cut}\n"
	manifest := strings.ReplaceAll(samples, "  autoRender: true\n", quick)
	if strings.Count(manifest, quick) != 3 {
		t.Fatalf("the samples do not contain three automatic renders:\n%s", samples)
	}
	if out, err := s.program(manifest, "kubectl", "apply", "-f", "-"); err != nil {
		t.Fatal(err, out)
	}
	s.packed(t, "calm-mornings")
	s.pack(t)
	context := &v1beta1.Slideshow{}
	if err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "better-sleep"}, context); err != nil {
		t.Fatal(err)
	}
	asked := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{
		"context": context.Spec.Context, "slide_count": context.Spec.SlideCount, "aspect_ratio": context.Spec.AspectRatio,
	})
	a.succeeded(t, asked.ID, "slideshow_generation")
	rest, applied, hand := &v1beta1.Slideshow{}, &v1beta1.Slideshow{}, &v1beta1.Slideshow{}
	if err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: fmt.Sprintf("slideshow-%d", asked.ID)}, rest); err != nil {
		t.Fatal(err)
	}
	for name, show := range map[string]*v1beta1.Slideshow{"better-sleep": applied, "tidy-desk": hand} {
		id := s.numbered(t, name)
		video, _ := s.video(t, a, id)
		sh := a.short(t, id)
		height := map[string]int{"9:16": 1920, "4:5": 1350}[sh.AspectRatio]
		checkVideo(t, video, 1080, height, sh.Duration)
		if sh.Status != "success_slideshow" || sh.RenderStatus != "succeeded" {
			t.Errorf("%s has status %s, its render %s", name, sh.Status, sh.RenderStatus)
		}
		NewWithT(t).Eventually(func(g Gomega) { // the next reconciliation writes the summary of the render
			g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
			g.Expect(show.Status.Render).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
		}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	}
	if d := cmp.Diff(states(rest), states(applied)); d != "" {
		t.Errorf("the manifest and the request end in different states (-request +manifest):\n%s", d)
	}
	for _, of := range []*v1beta1.Slideshow{rest, applied} {
		// the text block of a manifest ends with a line break, that of a request is trimmed
		of.Status.Text.SourceHash = ""
	}
	if d := cmp.Diff(rest.Status.Text, applied.Status.Text); d != "" {
		t.Errorf("the manifest and the request have different texts (-request +manifest):\n%s", d)
	}
	want := states(rest)
	want[string(v1beta1.ConditionWritten)] = "True " + string(v1beta1.ReasonByHand)
	got := states(hand)
	for _, of := range []map[string]string{want, got} {
		delete(of, string(v1beta1.ConditionDrawn)) // its reason reports whether texts were changed to fit
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("hand-written slides and the request end in different states (-request +manifest):\n%s", d)
	}
	if hand.Status.Text != nil || !strings.Contains(hand.Status.Slides[1].TextOverlays[0].Text, "One tray for paper") || hand.Status.Slides[1].Background.ID != "starter-paper_craft-02" {
		t.Errorf("the hand-written slides were changed: %+v", hand.Status.Slides[1])
	}

	out, err := s.program("", "kubectl", "get", "slideshows,renderjobs,jobs", "-n", tenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"slideshow.reelops.dev/tidy-desk", "renderjob.reelops.dev/tidy-desk-r1", "job.batch/tidy-desk-r1-a1"} {
		i := slices.IndexFunc(strings.Split(out, "\n"), func(l string) bool {
			return strings.HasPrefix(l, line) && (strings.Contains(l, "succeeded") || strings.Contains(l, "Complete"))
		})
		if i < 0 {
			t.Errorf("kubectl get does not show %s as done:\n%s", line, out)
		}
	}
}

// packed waits until the sample with a pack has its slides, and deletes it. Its video would wait for the music of the
// starter set, which TestMusic covers.
func (s *stack) packed(t *testing.T, name string) {
	t.Helper()
	show := &v1beta1.Slideshow{}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
		g.Expect(show.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	if len(show.Status.Slides) != int(show.Spec.SlideCount) {
		t.Errorf("got %d slides, want %d", len(show.Status.Slides), show.Spec.SlideCount)
	}
	for _, sl := range show.Status.Slides {
		if !strings.HasPrefix(sl.Background.ID, "starter-ocean_waves-") {
			t.Errorf("slide %d has image %s, which is not in the pack", sl.ID, sl.Background.ID)
		}
	}
	if err := s.kube.Delete(t.Context(), show); err != nil {
		t.Fatal(err)
	}
}

// numbered waits for the id of a slideshow and returns it.
func (s *stack) numbered(t *testing.T, name string) (id int64) {
	t.Helper()
	show := &v1beta1.Slideshow{}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
		var err error
		id, err = strconv.ParseInt(show.Labels[v1beta1.LabelID], 10, 64)
		g.Expect(err).NotTo(HaveOccurred())
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	return id
}

// states returns the conditions and states of a slideshow.
func states(s *v1beta1.Slideshow) map[string]string {
	out := map[string]string{
		"work":     string(s.Status.Work.State),
		"observed": fmt.Sprint(s.Status.ObservedGeneration == s.Generation), "revision": fmt.Sprint(s.Status.Revision),
	}
	for _, c := range s.Status.Conditions {
		out[c.Type] = fmt.Sprint(c.Status, " ", c.Reason)
	}
	return out
}

// invalidManifests checks that the error of kubectl names the remedy.
func (s *stack) invalidManifests(t *testing.T) {
	for name, c := range map[string]struct{ spec, sentence string }{
		"too few slides":             {`{brandRef: {name: demo}, context: Hello, slideCount: 2}`, "slideCount must be 0 (automatic) or from 3 to 12"},
		"neither context nor slides": {`{brandRef: {name: demo}}`, "a slideshow needs context (the input of text generation) or slides (written by you)"},
		"an empty slide":             {`{brandRef: {name: demo}, slides: [{heading: One}, {heading: Two}, {body: Three}]}`, "a slide needs a heading, textOverlays or an image"},
		"an unsupported ratio":       {`{brandRef: {name: demo}, context: Hello, aspectRatio: "1:1"}`, `supported values: "9:16", "4:5"`},
		"an unknown field":           {`{brandRef: {name: demo}, contxt: Hello, context: Hello}`, `unknown field "spec.contxt"`},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := fmt.Sprintf("apiVersion: reelops.dev/v1beta1\nkind: Slideshow\nmetadata: {name: bad, namespace: %s}\nspec: %s\n", tenant, c.spec)
			out, err := s.program(manifest, "kubectl", "apply", "-f", "-")
			if err == nil {
				_ = s.kube.Delete(t.Context(), &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "bad"}})
				t.Fatalf("the manifest was accepted: %s", out)
			}
			if !strings.Contains(err.Error(), c.sentence) {
				t.Errorf("got error %q, want it to contain %q", err, c.sentence)
			}
		})
	}
}
