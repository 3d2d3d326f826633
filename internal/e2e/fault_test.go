// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// failed checks that a render failed with a code, a message, its details and a number of attempts, and left no
// temporary objects.
func (s *stack) failed(t *testing.T, a *api, id int64, code, sentence string, attempts int32, details map[string]any) {
	t.Helper()
	j := a.settled(t, id, "render")
	if j.Status != "failed" || j.Error == nil {
		t.Fatalf("got job %+v", j)
	}
	g := NewWithT(t)
	g.Expect(j.Error.Code).To(Equal(code))
	g.Expect(j.Error.Message).To(ContainSubstring(sentence))
	g.Expect(j.Error.Message).NotTo(Or(ContainSubstring("http"), ContainSubstring("/scratch")),
		"messages contain no addresses and no paths")
	g.Expect(j.Error.Retryable).To(Equal(code == "generation_failed"))
	for k, v := range details {
		g.Expect(j.Error.Details).To(HaveKeyWithValue(k, v))
	}
	g.Expect(j.Result).To(BeNil())
	r := s.render(t, id)
	g.Expect(r.Status.Work.Attempt).To(Equal(attempts))
	s.checkLeftovers(t, r)
	if sh := a.short(t, id); sh.Status != "success_slideshow" || sh.RenderStatus != "failed" {
		t.Errorf("the short has status %s, its render %s", sh.Status, sh.RenderStatus)
	}
}

// corruptImage overwrites the background of a drawn slide before the render reads it.
func (s *stack) corruptImage(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "corrupt")
	show := &v1beta1.Slideshow{}
	if err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "corrupt"}, show); err != nil {
		t.Fatal(err)
	}
	path := s.path("blobs", filepath.FromSlash(show.Status.Slides[1].Background.BlobKey))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole[:2000:2000], []byte(strings.Repeat("not a picture any more ", 100))...), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { // other tests use the starter images, too
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Error(err)
		}
	}()
	a.render(t, id)
	s.failed(t, a, id, "validation_failed", "image", 1, map[string]any{"field": "inputs.background-2"})
}

// impossibleTimeline changes the stored timeline during an attempt, so that the next attempt reads an invalid one. That
// attempt fails permanently: a retry would not help.
func (s *stack) impossibleTimeline(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "impossible")
	a.render(t, id)
	encoder := s.encoder(t)
	path := s.path("blobs", "renders", tenant, string(s.render(t, id).UID), "timeline.json")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var video struct {
		Timeline map[string]any `json:"timeline"`
		Inputs   map[string]any `json:"inputs"`
	}
	if err := json.Unmarshal(doc, &video); err != nil {
		t.Fatal(err)
	}
	video.Timeline["clips"].([]any)[1].(map[string]any)["frames"] = -30
	if doc, err = json.Marshal(video); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	encoder.kill()
	s.failed(t, a, id, "validation_failed", "frame", 2, map[string]any{"field": "timeline.clips[1].frames"})
}

// fullDisk fills the disk of the node, so that a render has no space for its files.
func (s *stack) fullDisk(t *testing.T) {
	if s.disk == "" {
		t.Skip("a small disk cannot be mounted here")
	}
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "full")
	var fs syscall.Statfs_t
	if err := syscall.Statfs(s.disk, &fs); err != nil {
		t.Fatal(err)
	}
	const left = 128 << 10 // enough for the folders of the pod, but not for one image
	s.resize(t, int64(fs.Blocks-fs.Bfree)*fs.Bsize+left)
	defer s.resize(t, scratchDisk)
	a.render(t, id)
	s.failed(t, a, id, "generation_failed", "scratch space", 3, map[string]any{"reason": "no_space"})
}

func (s *stack) resize(t *testing.T, size int64) {
	t.Helper()
	if err := syscall.Mount("tmpfs", s.disk, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("mode=700,size=%d", size)); err != nil {
		t.Fatal(err)
	}
}

// killedEncoder kills ffmpeg once, like the kernel when memory is short: the next attempt creates the video.
func (s *stack) killedEncoder(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "encoder")
	a.render(t, id)
	s.encoder(t).kill()
	if _, attempts := s.video(t, a, id); attempts != 2 {
		t.Errorf("got attempt %d, want 2", attempts)
	}
}

// encoderAlwaysKilled kills every ffmpeg until the job fails.
func (s *stack) encoderAlwaysKilled(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	id := s.show(t, a, "hopeless")
	a.render(t, id)
	r := s.render(t, id)
	NewWithT(t).Eventually(func(g Gomega) {
		for _, p := range s.find("ffmpeg") {
			p.kill()
		}
		g.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(r), r)).To(Succeed())
		g.Expect(r.Status.Work).NotTo(BeNil())
		g.Expect(r.Status.Work.State.Settled()).To(BeTrue())
	}).WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed())
	s.failed(t, a, id, "generation_failed", "encoder was killed", 3, map[string]any{"reason": "encoder_killed"})
}
