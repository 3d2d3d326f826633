// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
)

// manage changes a brand, media and packs over REST, and deletes packs and shorts. It requires a clip and an image in
// the list of media.
func (s *stack) manage(t *testing.T, a *api) {
	send := func(method, path string, body any) (id int64) {
		t.Helper()
		got, err := a.do(method, path, body)
		if err != nil || got.status/100 != 2 {
			t.Fatalf("%s %s: %v %+v", method, path, err, got)
		}
		var record struct {
			ID int64 `json:"id"`
		}
		_ = json.Unmarshal(got.data, &record) // a job has no id
		return record.ID
	}
	gone := func(path string) {
		t.Helper()
		NewWithT(t).Eventually(func(g Gomega) {
			got, err := a.do(http.MethodGet, path, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.status).To(Equal(http.StatusNotFound))
		}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
	}
	var items []mediaItem
	a.read(NewWithT(t), "/media", &items)
	var image, clip int64
	for _, m := range items {
		if m.Duration == nil {
			image = m.ID
		} else {
			clip = m.ID
		}
	}
	if image == 0 || clip == 0 {
		t.Fatalf("got media %+v, want an image and a clip", items)
	}

	send(http.MethodPatch, "/brand", map[string]any{"time_zone": "Europe/Berlin"})
	send(http.MethodPatch, fmt.Sprintf("/media/%d", image), map[string]any{"title": "Dunes"})
	send(http.MethodPatch, fmt.Sprintf("/media/%d", clip), map[string]any{"media_type": "avatar_video"})
	pack := send(http.MethodPost, "/media_packs", map[string]any{"name": "Sand", "media_ids": []int64{image}})
	path := fmt.Sprintf("/media_packs/%d", pack)
	send(http.MethodGet, path, nil)
	send(http.MethodPatch, path, map[string]any{"name": "Sand and sea"})
	send(http.MethodDelete, path, nil)
	gone(path)

	slides := a.accepted(t, http.MethodPost, "/slideshows", map[string]any{"slides": []any{map[string]any{"heading": "Dunes"}}})
	a.succeeded(t, slides.ID, "slideshow_generation")
	video := a.accepted(t, http.MethodPost, "/videos", map[string]any{"avatar_media_id": clip, "hook_text": "Wait for the dunes"})
	for _, id := range []int64{slides.ID, video.ID} {
		short := fmt.Sprintf("/shorts/%d", id)
		send(http.MethodDelete, short, nil)
		gone(short)
	}
}
