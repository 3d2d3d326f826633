// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// TestMusic adds music as an administrator, finds it and a track of the starter set over REST, and measures videos with
// both.
func TestMusic(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	t.Run("a file that the administrator adds", s.addedMusic)
	t.Run("a track of the starter set", s.starterMusic)
	t.Run("files without audio are rejected", s.invalidMusic)
}

// track is a track as the API lists it.
type track struct {
	ID       int64    `json:"id"`
	Title    string   `json:"title"`
	Artist   *string  `json:"artist"`
	Duration float64  `json:"duration_seconds"`
	URL      string   `json:"url"`
	Source   string   `json:"source"`
	Moods    []string `json:"moods"`
}

// listed waits until a matching track is listed.
func (s *stack) listed(t *testing.T, a *api, fits func(track) bool) (found track) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		answer, err := a.do(http.MethodGet, "/background_music", nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(answer.status).To(Equal(http.StatusOK))
		var all []track
		g.Expect(json.Unmarshal(answer.data, &all)).To(Succeed())
		for _, p := range all {
			if fits(p) {
				found = p
				return
			}
		}
		g.Expect(all).To(BeNil(), "no track matches among")
	}).WithTimeout(6 * waitTimeout).WithPolling(slowPoll * 4).Should(Succeed())
	return found
}

func (s *stack) addedMusic(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	file := filepath.Join(t.TempDir(), "Evening.mp3")
	// Quiet, and much shorter than the video.
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-f", "lavfi", "-i",
		"aevalsrc=0.05*sin(2*PI*220*t)*(1+sin(2*PI*2*t))|0.05*sin(2*PI*330*t)*(1+sin(2*PI*3*t)):d=4:s=44100", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if output, err := s.program("", "reelops", "music", "add", file, "--account", tenant, "--mood", "calm", "--artist", "Ann", "--blob-url", "file://"+s.path("blobs")); err != nil {
		t.Fatal(err, output)
	}
	p := s.listed(t, a, func(p track) bool { return p.Title == "Evening" })
	if p.Source != "upload" || p.Artist == nil || *p.Artist != "Ann" || p.Duration < 3.9 || p.Duration > 4.2 {
		t.Errorf("got track %+v", p)
	}
	if got := download(t, p.URL); len(got) < 10_000 {
		t.Errorf("got a preview of %d bytes", len(got))
	}
	s.videoWith(t, a, p, &v1beta1.MusicSource{TrackRef: &v1beta1.LocalRef{Name: fmt.Sprintf("track-%d", p.ID)}})
}

func (s *stack) starterMusic(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	// The installation creates the whole set when it is idle. This track must not wait for the others.
	const name = "sunday-coffee"
	one := &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{Namespace: "reelops-system", Name: "sunday"},
		Spec:       v1beta1.MusicTrackSpec{Title: "Sunday", Moods: []string{"easy"}, Source: v1beta1.MediaSource{Starter: ptr.To(name)}},
	}
	if err := s.kube.Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	p := s.listed(t, a, func(p track) bool { return p.Title == "Sunday" })
	if p.Source != "library" || p.Duration < 24 || p.Duration > 60 {
		t.Errorf("got track %+v", p)
	}
	s.videoWith(t, a, p, &v1beta1.MusicSource{LibraryTrackRef: &v1beta1.LocalRef{Name: one.Name}})
}

// videoWith renders a video with the track and measures its loudness.
func (s *stack) videoWith(t *testing.T, a *api, p track, music *v1beta1.MusicSource) {
	t.Helper()
	// Still images, because the test measures only the sound.
	show := testkit.HandWritten(tenant, strings.ToLower(p.Title), tenant, "Keep the bedroom cool", "Put the phone away", "Read ten pages")
	show.Spec.Film, show.Spec.AutoRender, show.Spec.Music = v1beta1.FilmSpec{Motion: "still", Transition: "cut"}, true, music
	if err := s.kube.Create(t.Context(), show); err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(show), show)).To(Succeed())
		g.Expect(show.Status.Render).NotTo(BeNil())
		g.Expect(show.Status.Render.State.Settled()).To(BeTrue())
	}).WithTimeout(3 * waitTimeout).WithPolling(poll).Should(Succeed())
	id, err := strconv.ParseInt(show.Labels[v1beta1.LabelID], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	video, _ := s.video(t, a, id)
	path := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(path, video, 0o600); err != nil {
		t.Fatal(err)
	}
	lufs, peak := loudness(t, path)
	if lufs < -15 || lufs > -13 || peak > 0 {
		t.Errorf("the video with %s has %.1f LUFS and peaks at %.1f dBTP", p.Title, lufs, peak)
	}
	t.Logf("%s: %.1f LUFS, %.1f dBTP", p.Title, lufs, peak)
	if files := s.stored("renders", tenant, string(s.render(t, id).UID)); strings.Contains(fmt.Sprint(files), "music") {
		t.Errorf("a copy of the music is left: %v", files)
	}
}

// loudness returns the loudness and the peak of a video's sound, measured with ffmpeg.
func loudness(t *testing.T, path string) (lufs, peak float64) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "ffmpeg", "-hide_banner", "-nostats", "-nostdin", "-i", path, "-vn", "-af", "ebur128=peak=true", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	summary := string(output[strings.LastIndex(string(output), "Summary:"):])
	for pattern, into := range map[string]*float64{`I:\s+(-?[\d.]+) LUFS`: &lufs, `Peak:\s+(-?[\d.]+) dBFS`: &peak} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(summary)
		if m == nil {
			t.Fatalf("no measurement in %s", summary)
		}
		*into, _ = strconv.ParseFloat(m[1], 64)
	}
	return lufs, peak
}

// invalidMusic adds files that only have the names of music files.
func (s *stack) invalidMusic(t *testing.T) {
	for name, content := range map[string]string{
		"playlist.m3u.mp3": "#EXTM3U\n#EXTINF:10,x\nhttp://127.0.0.1:9/x.mp3\n",
		"stream.mp3":       "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
		"list.pls.mp3":     "[playlist]\nFile1=http://127.0.0.1:9/x.mp3\nNumberOfEntries=1\n",
		"concat.ogg":       "ffconcat version 1.0\nfile '/etc/passwd'\n",
		"empty.mp3":        "",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := s.program("", "reelops", "music", "add", file, "--account", tenant, "--blob-url", "file://"+s.path("blobs")); err == nil {
			t.Errorf("%s was accepted: %s", name, output)
		}
	}
}
