// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

var words = strings.Fields(`morning coffee routine saves time every week small team launch product story photo video
	market travel city light weekend recipe simple habit growth customer review behind scenes studio design colour summer
	winter street music dance workout plan budget tip mistake learn teach share follow link offer price quality hand craft
	wood stone water garden flower kitchen table window office laptop phone camera friend family child school teacher`)

// sample returns generated rows with texts that differ, with the sizes of real objects: 7 KB for a short with its
// renders and batches, 1.7 KB for a post.
func sample(seed uint64, units, postsPerUnit int) ([]Short, []Post) {
	r := rand.New(rand.NewPCG(seed, 1))
	text := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(len(words))]
		}
		return strings.Join(out, " ")
	}
	uid := func() string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
			r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()>>16)
	}
	start := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	shorts, posts := make([]Short, units), make([]Post, 0, units*postsPerUnit)
	for i := range shorts {
		at := start.Add(time.Duration(i) * (30 * 24 * time.Hour / time.Duration(units))).Truncate(time.Millisecond)
		s := Short{
			ID: int64(1_000_000 + i*7 + r.IntN(7)), Kind: "Slideshow", Brand: fmt.Sprintf("brand-%02d", r.IntN(12)),
			State: "succeeded", CreatedAt: at, ArchivedAt: start.Add(60 * 24 * time.Hour), FilmBytes: int64(r.IntN(9_000_000)),
			Title: text(7), Caption: text(25), Text: text(60),
		}
		s.Objects = object(r, text, uid, 6, 7000)
		shorts[i] = s
		for j := range postsPerUnit {
			p := Post{
				ID: s.ID*10 + int64(j), ShortID: s.ID, Brand: s.Brand, Account: fmt.Sprintf("%s-account-%d", s.Brand, j),
				Batch: fmt.Sprintf("batch-%d", s.ID), Platform: []string{"tiktok", "youtube", "instagram", "linkedin"}[j%4],
				State: "success", Immediate: j == 0, CreatedAt: at, ScheduledAt: at.Add(time.Hour),
				PlatformPostID: fmt.Sprint(r.Uint64()), Title: s.Title, Caption: text(25),
				URL: fmt.Sprintf("https://social.example.com/%s/%d", s.Brand, r.Uint64()),
			}
			if r.IntN(10) > 0 {
				p.PublishedAt = p.ScheduledAt.Add(time.Duration(r.IntN(60_000)) * time.Millisecond)
			}
			p.Object = object(r, text, uid, 1, 1700)
			posts = append(posts, p)
		}
	}
	return shorts, posts
}

// object returns JSON like that of n objects, of about size bytes.
func object(r *rand.Rand, text func(int) string, uid func() string, n, size int) []byte {
	type slide struct {
		Text     string         `json:"text"`
		Position map[string]int `json:"position"`
		Image    string         `json:"imageKey"`
	}
	var out []map[string]any
	for range n {
		var slides []slide
		for used := 700; used < size/n; used += 200 {
			at := map[string]int{"x": r.IntN(1080), "y": r.IntN(1920)}
			slides = append(slides, slide{text(9), at, "shorts/acme/" + uid() + "/1.jpg"})
		}
		out = append(out, map[string]any{
			"apiVersion": "reelops.dev/v1beta1", "kind": "Slideshow",
			"metadata": map[string]any{
				"name": "short-" + fmt.Sprint(r.Uint32()), "namespace": "acme", "uid": uid(),
				"resourceVersion": fmt.Sprint(r.Uint32()), "creationTimestamp": "2026-10-05T10:00:00Z",
				"labels": map[string]string{"reelops.dev/brand": "brand-01"},
			},
			"spec": map[string]any{"slides": slides, "title": text(7), "caption": text(20)},
			"status": map[string]any{
				"state": "succeeded", "observedGeneration": 1, "outputKey": "renders/acme/" + uid() + "/film.mp4",
				"conditions": []map[string]any{{
					"type": "Ready", "status": "True", "reason": "Succeeded", "lastTransitionTime": "2026-10-05T10:03:00Z",
				}},
			},
		})
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return b
}
