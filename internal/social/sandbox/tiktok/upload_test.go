// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		size, chunk, count int64
		right              bool
		why                string
	}{
		{50_000_123, 10_000_000, 5, true, "the documentation's own example"},
		{3_145_728, 3_145_728, 1, true, "a small film in one part"},
		{64_000_000, 64_000_000, 1, true, "the largest part"},
		{64_000_001, 10_000_000, 6, true, "one byte more"},
		{4 << 30, 10_000_000, 429, true, "the largest film"},
		{64_000_001, 32_000_000, 2, false, "equal parts, which were accepted until August 2026"},
		{33_000_000, 11_000_000, 3, false, "equal parts of a video that fits into one"},
		{70_000_000, 64_000_000, 1, false, "one part of a video that needs several"},
		{66_259_900, 64_000_000, 1, false, "one part whose size is not the film's"},
		{64_000_001, 64_000_001, 1, false, "a part that is too large"},
		{4_000_000, 2_000_000, 2, false, "a small film in two parts"},
		{20_000_000, 5_000_000, 4, false, "parts of less than 5 MB in one of its meanings"},
		{50_000_123, 10_000_000, 6, false, "a count that is rounded up"},
		{4<<30 + 1, 63_161_283, 68, false, "a film that is too large"},
		{0, 0, 0, false, "nothing"},
		{-1, -1, 1, false, "less than nothing"},
		{10_000_000, 1, 10_000_000, false, "too many parts"},
	} {
		if wrong := cut(source{Size: c.size, Chunk: c.chunk, Count: c.count}); (wrong == "") != c.right {
			t.Errorf("%s: got %q", c.why, wrong)
		}
	}
}

func TestContentRange(t *testing.T) {
	for s, want := range map[string]string{
		"bytes 0-99/1000": "0 99 1000 true", "bytes 5-5/6": "5 5 6 true", "bytes 0-99": "false", "0-99/1000": "false", "bytes 9-5/10": "false",
		"bytes a-b/c": "false", "bytes */1000": "false", "": "false", "bytes -1-5/10": "false",
	} {
		first, last, total, right := contentRange(s)
		got := "false"
		if right {
			got = fmt.Sprint(first, last, total, right)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestParts(t *testing.T) {
	r := newRig(t)
	const chunk, size = 10_000_000, 20_000_100
	doc := append(good(t), make([]byte, size)...)[:size]
	a := r.begin(nobody, size, chunk, 2)
	to := a.Data.UploadURL
	if len(to) > 256 || len(a.Data.PublishID) > 64 || !strings.HasPrefix(a.Data.PublishID, "v_pub_file~") {
		t.Errorf("%s at %s", a.Data.PublishID, to)
	}
	type step struct {
		name            string
		status, at      int
		from, bytes     int
		to, contentType string
		total           int
	}
	for _, s := range []step{
		{name: "the second part first", from: chunk, bytes: size - chunk, status: 416},
		{name: "less than a part", from: 0, bytes: 100, status: 400},
		{name: "more than a part", from: 0, bytes: chunk + 1, status: 400},
		{name: "another total size", from: 0, bytes: chunk, total: size + 1, status: 400},
		{name: "an image", from: 0, bytes: chunk, contentType: "image/jpeg", status: 400},
		{name: "another upload", to: strings.Replace(to, "upload_id=", "upload_id=1", 1), from: 0, bytes: chunk, status: 404},
		{name: "a guessed token", to: to + "x", from: 0, bytes: chunk, status: 403},
		{name: "the first part", from: 0, bytes: chunk, status: 206, at: chunk},
		{name: "the first part again", from: 0, bytes: chunk, status: 416, at: chunk},
		{name: "the second part from an offset", from: chunk + 1, bytes: size - chunk - 1, status: 416, at: chunk},
		{name: "the second part", from: chunk, bytes: size - chunk, status: 201, at: size},
		{name: "the second part again", from: chunk, bytes: size - chunk, status: 416, at: size},
	} {
		if s.to == "" {
			s.to = to
		}
		if s.total == 0 {
			s.total = size
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.to, strings.NewReader(string(doc[s.from:s.from+s.bytes])))
		if err != nil {
			t.Fatal(err)
		}
		if s.contentType == "" {
			s.contentType = "video/mp4"
		}
		req.Header.Set("Content-Type", s.contentType)
		req.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", s.from, s.from+s.bytes-1, s.total))
		got := r.do(req)
		if got.status != s.status {
			t.Errorf("%s: got %d, want %d", s.name, got.status, s.status)
		}
		if want := fmt.Sprintf("bytes 0-%d/%d", s.at, size); s.at > 0 && got.header.Get("Content-Range") != want {
			t.Errorf("%s: got Content-Range %q, want %q", s.name, got.header.Get("Content-Range"), want)
		}
		if n := len(r.core.Landed(name)); (n == 1) != (s.at == size) {
			t.Fatalf("%s: published %d times", s.name, n)
		}
	}
}

func TestUpload_URLExpiresAfterAnHour(t *testing.T) {
	r := newRig(t)
	doc := good(t)
	a := r.begin(nobody, len(doc), len(doc), 1)
	r.clock.Step(time.Hour)
	if s := r.put(a.Data.UploadURL, doc, 0, len(doc)).status; s != http.StatusForbidden {
		t.Errorf("got %d", s)
	}
	if s := r.status(a.Data.PublishID); s.Data.Status != processingUpload || *s.Data.Uploaded != 0 || len(r.core.Landed(name)) > 0 {
		t.Errorf("got %+v", s.Data)
	}
}

func TestUpload_ValidatesVideos(t *testing.T) {
	for name, c := range map[string]struct {
		doc  []byte
		want string
	}{
		"valid":         {good(t), ""},
		"WebM":          {footage(t, "testsrc2=size=540x960:rate=30:duration=2", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", ".webm"), ""},
		"noise":         {[]byte(strings.Repeat("no film ", 1000)), "file_format_check_failed"},
		"truncated":     {good(t)[:len(good(t))/2], "file_format_check_failed"},
		"another codec": {footage(t, "testsrc2=size=540x960:rate=30:duration=2", "-c:v", "mpeg4"), "file_format_check_failed"},
		"too short":     {footage(t, "testsrc2=size=540x960:rate=30:duration=0.5"), "duration_check_failed"},
		"too slow":      {footage(t, "testsrc2=size=540x960:rate=10:duration=2"), "frame_rate_check_failed"},
		"too small":     {footage(t, "testsrc2=size=320x560:rate=30:duration=2"), "picture_size_check_failed"},
		"too narrow":    {footage(t, "testsrc2=size=400x960:rate=30:duration=2"), "picture_size_check_failed"},
		"a wide format": {footage(t, "testsrc2=size=960x540:rate=30:duration=2"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.published(everybody, c.doc)
			r.clock.Step(5 * time.Second)
			s := r.status(id)
			want := complete
			if c.want != "" {
				want = failed
			}
			if s.Data.Status != want || s.Data.FailReason != c.want {
				t.Errorf("got %s %s, want %s", s.Data.Status, s.Data.FailReason, c.want)
			}
			if n := len(r.core.Landed("tiktok")); (n == 1) != (c.want == "") {
				t.Errorf("published %d times", n)
			}
		})
	}
}
