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

// mainJob makes a film from a text as a program of a user does, and has ffprobe judge it.
func (s *stack) mainJob(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	made := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{
		"context":     "Three ways to fall asleep sooner. Keep the bedroom cool. Put the phone away. Read ten pages.",
		"slide_count": 3,
	})
	if made.Kind != "slideshow_generation" || (made.Status != "queued" && made.Status != "processing") {
		t.Errorf("the first answer is %+v", made)
	}
	drawn := a.succeeded(t, made.ID, "slideshow_generation")
	if drawn.Result.Slides.Count != 3 || drawn.Result.VideoURL != nil {
		t.Errorf("the generation gave %+v", drawn.Result)
	}
	if _, _, err := image.Decode(bytes.NewReader(download(t, drawn.Result.PreviewURL))); err != nil {
		t.Errorf("the contact sheet: %v", err)
	}
	path := fmt.Sprintf("/slideshows/%d/render", made.ID)
	if j := a.accepted(t, http.MethodPost, path, nil); j.Kind != "render" || j.ID != made.ID {
		t.Errorf("the render's first answer is %+v", j)
	}
	film, attempts := s.film(t, a, made.ID)
	if attempts != 1 {
		t.Errorf("it took %d attempts", attempts)
	}
	if there := s.stored("renders", tenant, string(s.render(t, made.ID).UID)); !slices.Contains(there, packName) {
		t.Errorf("the coded parts of the film are not kept: %v", there)
	}
	sh := a.short(t, made.ID)
	if sh.Status != "success_slideshow" || sh.RenderStatus != "succeeded" || len(sh.TypeData.Slides) != 3 {
		t.Errorf("the short is %+v", sh)
	}
	for _, sl := range sh.TypeData.Slides {
		c, _, err := image.DecodeConfig(bytes.NewReader(download(t, sl.Rendered)))
		if err != nil || c.Width != 1080 || c.Height != 1920 {
			t.Errorf("a slide is %dx%d (%v)", c.Width, c.Height, err)
		}
	}
	checkFilm(t, film, 1080, 1920, sh.Duration)

	again, err := a.do(http.MethodPost, path, nil)
	if err != nil || again.status != http.StatusConflict {
		t.Errorf("a second render of what has its film is answered with %+v %v", again, err)
	}
}

// checkFilm asks ffprobe whether a film is what is promised.
func checkFilm(t *testing.T, film []byte, width, height int, seconds float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(path, film, 0o600); err != nil {
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
		t.Fatalf("%d streams (%v)", len(p.Streams), err)
	}
	v, sound := p.Streams[0], p.Streams[1]
	got := fmt.Sprintf("%s %s %s %dx%d %s %s, %s %s", v.Codec, v.Profile, v.Pixels, v.Width, v.Height, v.Rate, v.Frames, sound.Codec, sound.Samples)
	want := fmt.Sprintf("h264 High yuv420p %dx%d 30/1 %.0f, aac 48000", width, height, math.Round(seconds*30))
	if got != want {
		t.Errorf("the film is %s, want %s", got, want)
	}
	if d, _ := strconv.ParseFloat(p.Format.Duration, 64); math.Abs(d-seconds) > 0.1 {
		t.Errorf("the film lasts %.2f s, promised are %.2f", d, seconds)
	}
}

// pack applies a media pack of one's own: it has an id by which it can be named, and says that no picture has joined it yet.
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
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
}

// manifests applies the samples and shows that they end as a request over REST does.
func (s *stack) manifests(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	samples, err := s.program("", "kubectl", "kustomize", filepath.Join(repository(), "config", "samples"))
	if err != nil {
		t.Fatal(err)
	}
	const quick = "  autoRender: true\n  film: {motion: still, transition: cut}\n" // moving pictures are made over REST
	manifest := strings.ReplaceAll(samples, "  autoRender: true\n", quick)
	if strings.Count(manifest, quick) != 3 {
		t.Fatalf("the samples do not ask for three films:\n%s", samples)
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
		film, _ := s.film(t, a, id)
		sh := a.short(t, id)
		height := map[string]int{"9:16": 1920, "4:5": 1350}[sh.AspectRatio]
		checkFilm(t, film, 1080, height, sh.Duration)
		if sh.Status != "success_slideshow" || sh.RenderStatus != "succeeded" {
			t.Errorf("%s is %s, its render %s", name, sh.Status, sh.RenderStatus)
		}
		NewWithT(t).Eventually(func(g Gomega) { // the summary of the render comes with the next pass
			g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
			g.Expect(show.Status.Render).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
		}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	}
	if d := cmp.Diff(states(rest), states(applied)); d != "" {
		t.Errorf("the manifest ends otherwise than the request (-request +manifest):\n%s", d)
	}
	for _, of := range []*v1beta1.Slideshow{rest, applied} {
		of.Status.Text.SourceHash = "" // a manifest's block of text ends with a line break, a request's is trimmed
	}
	if d := cmp.Diff(rest.Status.Text, applied.Status.Text); d != "" {
		t.Errorf("the manifest's text is another one (-request +manifest):\n%s", d)
	}
	want := states(rest)
	want[string(v1beta1.ConditionWritten)] = "True " + string(v1beta1.ReasonByHand)
	got := states(hand)
	for _, of := range []map[string]string{want, got} {
		delete(of, string(v1beta1.ConditionDrawn)) // its reason tells whether the texts had to be changed to fit
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("hand-written slides end otherwise than the request (-request +manifest):\n%s", d)
	}
	if hand.Status.Text != nil || !strings.Contains(hand.Status.Slides[1].TextOverlays[0].Text, "One tray for paper") || hand.Status.Slides[1].Background.ID != "starter-paper_craft-02" {
		t.Errorf("the hand-written slides were not kept: %+v", hand.Status.Slides[1])
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
			t.Errorf("kubectl get does not tell of %s:\n%s", line, out)
		}
	}
}

// packed waits until the sample with a pack has its slides, and takes it away: its film would wait for music that the installation
// makes when it has nothing else to do, and TestMusic makes such a film.
func (s *stack) packed(t *testing.T, name string) {
	t.Helper()
	show := &v1beta1.Slideshow{}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
		g.Expect(show.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	if len(show.Status.Slides) != int(show.Spec.SlideCount) {
		t.Errorf("%d slides, asked for were %d", len(show.Status.Slides), show.Spec.SlideCount)
	}
	for _, sl := range show.Status.Slides {
		if !strings.HasPrefix(sl.Background.ID, "starter-ocean_waves-") {
			t.Errorf("slide %d has %s, which is not of the pack", sl.ID, sl.Background.ID)
		}
	}
	if err := s.kube.Delete(t.Context(), show); err != nil {
		t.Fatal(err)
	}
}

// numbered waits for the short id of a slideshow.
func (s *stack) numbered(t *testing.T, name string) (id int64) {
	t.Helper()
	show := &v1beta1.Slideshow{}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, show)).To(Succeed())
		var err error
		id, err = strconv.ParseInt(show.Labels[v1beta1.LabelID], 10, 64)
		g.Expect(err).NotTo(HaveOccurred())
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	return id
}

// states are the conditions and states in which a slideshow has ended.
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

// badManifests shows that kubectl says what to change.
func (s *stack) badManifests(t *testing.T) {
	for name, c := range map[string]struct{ spec, sentence string }{
		"too few slides":  {`{brandRef: {name: demo}, context: Hello, slideCount: 2}`, "slideCount must be 0 (automatic) or from 3 to 12"},
		"nothing to say":  {`{brandRef: {name: demo}}`, "a slideshow needs context (the input of text generation) or slides (written by you)"},
		"an empty slide":  {`{brandRef: {name: demo}, slides: [{heading: One}, {heading: Two}, {body: Three}]}`, "a slide needs a heading, textOverlays or an image"},
		"a strange ratio": {`{brandRef: {name: demo}, context: Hello, aspectRatio: "1:1"}`, `supported values: "9:16", "4:5"`},
		"a wrong name":    {`{brandRef: {name: demo}, contxt: Hello, context: Hello}`, `unknown field "spec.contxt"`},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := fmt.Sprintf("apiVersion: reelops.dev/v1beta1\nkind: Slideshow\nmetadata: {name: bad, namespace: %s}\nspec: %s\n", tenant, c.spec)
			out, err := s.program(manifest, "kubectl", "apply", "-f", "-")
			if err == nil {
				_ = s.kube.Delete(t.Context(), &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "bad"}})
				t.Fatalf("it was accepted: %s", out)
			}
			if !strings.Contains(err.Error(), c.sentence) {
				t.Errorf("it was refused with %q, which does not say %q", err, c.sentence)
			}
		})
	}
}
