// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCut(t *testing.T) {
	for _, c := range []struct{ total, count, size, last int64 }{
		{1, 1, 1, 1},
		{3_145_728, 1, 3_145_728, 3_145_728},
		{33_000_000, 1, 33_000_000, 33_000_000},
		{64_000_000, 1, 64_000_000, 64_000_000},
		{64_000_001, 6, 10_000_000, 14_000_001},
		{66_259_900, 6, 10_000_000, 16_259_900},
		{70_000_000, 7, 10_000_000, 10_000_000},
		{4_294_967_296, 429, 10_000_000, 14_967_296},
	} {
		p := cut(c.total, wholeMax)
		if want := (plan{Total: c.total, Size: c.size, Count: c.count}); p != want || c.total-p.last() != c.last {
			t.Errorf("%d bytes: got %+v with a last part of %d, want %+v with %d", c.total, p, c.total-p.last(), want, c.last)
		}
	}
	for total := int64(1); total < 4<<30; total = total*11/7 + 1 {
		p := cut(total, wholeMax)
		if p.Total/p.Size != p.Count || p.Count > 1000 {
			t.Errorf("%d bytes: %+v violates the rule of TikTok", total, p)
		}
		var sent int64
		for offset := int64(0); offset < total; offset = p.end(offset) {
			sent += p.end(offset) - offset
		}
		if sent != total {
			t.Errorf("%d bytes: got parts of %d in total", total, sent)
		}
	}
}

func TestOffset(t *testing.T) {
	p := plan{Total: 35, Size: 10, Count: 3}
	for _, c := range []struct {
		uploaded, offset, end int64
		whole                 bool
		why                   string
	}{
		{0, 0, 10, false, "nothing came"},
		{9, 10, 20, false, "the place of a part's last byte"},
		{10, 10, 20, false, "the count of a part's bytes"},
		{13, 13, 20, false, "a part that came in part is completed"},
		{19, 20, 35, false, "the last part takes what is left"},
		{29, 29, 35, false, "no border: the last part is longer"},
		{34, 34, 35, true, "the place of the very last byte"},
		{35, 35, 35, true, "all"},
	} {
		offset := p.reached(c.uploaded)
		if offset != c.offset || p.end(offset) != c.end || p.whole(c.uploaded) != c.whole {
			t.Errorf("%d (%s): resumes at %d up to %d, whole %v; want %d, %d, %v",
				c.uploaded, c.why, offset, p.end(offset), p.whole(c.uploaded), c.offset, c.end, c.whole)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "日本": 2, "🥖": 2, "👩‍🍳": 5, "\xff": 1, "a\n#b": 4,
	} {
		if got := units(text); got != want {
			t.Errorf("%q: got %d units, want %d", text, got, want)
		}
	}
}

func TestAudience(t *testing.T) {
	open := []string{"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"}
	private := []string{"SELF_ONLY", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR"}
	for _, c := range []struct {
		offered     []string
		limit, want string
	}{
		{open, "PUBLIC_TO_EVERYONE", "PUBLIC_TO_EVERYONE"},
		{private, "PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR"},
		{open, "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS"},
		{open, "SELF_ONLY", "SELF_ONLY"},
		{[]string{"PUBLIC_TO_EVERYONE"}, "SELF_ONLY", ""},
		{[]string{"SOMETHING_NEW"}, "PUBLIC_TO_EVERYONE", ""},
		{nil, "PUBLIC_TO_EVERYONE", ""},
	} {
		if got := audience(c.offered, c.limit); got != c.want {
			t.Errorf("of %v up to %s: got %q, want %q", c.offered, c.limit, got, c.want)
		}
	}
	if _, err := New(Config{Privacy: "EVERYBODY"}); err == nil || !strings.Contains(err.Error(), "SELF_ONLY") {
		t.Errorf("an unknown level: got %v", err)
	}
}

func TestPostIDs(t *testing.T) {
	const posts = `{"publicaly_available_post_id":` //nolint:misspell // TikTok spells it so
	for doc, want := range map[string]string{
		posts + `[7512345678901234567,1]}`:                     "7512345678901234567", // past 2^53
		`{"publicly_available_post_id":[9223372036854775807]}`: "9223372036854775807",
		posts + `["7512345678901234567"]}`:                     "7512345678901234567",
		posts + `[]}`:                                          "",
		posts + `null}`:                                        "",
		`{}`:                                                   "",
	} {
		var s statusAnswer
		if err := json.Unmarshal([]byte(doc), &s); err != nil || s.post() != want {
			t.Errorf("%s: got %q, %v; want %q", doc, s.post(), err, want)
		}
	}
	for _, doc := range []string{
		posts + `[7.5e18]}`, posts + `[null]}`, posts + `["../x"]}`, posts + `[-1]}`, posts + `7}`,
	} {
		if err := json.Unmarshal([]byte(doc), new(statusAnswer)); err == nil {
			t.Errorf("%s is accepted", doc)
		}
	}
}

func TestUploadHosts(t *testing.T) {
	tiktok, err := New(Config{UploadHosts: []string{"uploads.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	sandbox, err := New(Config{}.At("http://127.0.0.1:8300/tiktok/"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p       *Platform
		address string
		want    bool
	}{
		{tiktok, "https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=2", true},
		{tiktok, "https://upload.us.tiktokapis.com/upload/?x", true},
		{tiktok, "https://UPLOAD.US.TikTokAPIs.com:443/video/", true},
		{tiktok, "https://uploads.example.com/video/", true},
		{tiktok, "http://open-upload.tiktokapis.com/video/", false},
		{tiktok, "https://open-upload.tiktokapis.com:8443/video/", false},
		{tiktok, "https://tiktokapis.com.example.com/video/", false},
		{tiktok, "https://eviltiktokapis.com/video/", false},
		{tiktok, "https://open-upload.tiktokapis.com@example.com/video/", false},
		{tiktok, "https://user@open-upload.tiktokapis.com/video/", false},
		{tiktok, "https://169.254.169.254/video/", false},
		{tiktok, "http://127.0.0.1:8300/tiktok/video/", false},
		{tiktok, "//open-upload.tiktokapis.com/video/", false},
		{tiktok, "file:///etc/passwd", false},
		{tiktok, "", false},
		{sandbox, "http://127.0.0.1:8300/tiktok/video/?upload_id=1", true},
		{sandbox, "http://127.0.0.1:8301/tiktok/video/?upload_id=1", false},
		{sandbox, "https://open-upload.tiktokapis.com/video/", false},
	} {
		if got := c.p.allowsUpload(c.address); got != c.want {
			t.Errorf("%s with the API at %s: got %v, want %v", c.address, c.p.api, got, c.want)
		}
	}
}

func TestBases(t *testing.T) {
	for _, bad := range []string{"tiktok", "ftp://x", "https://user:pass@x", "https://x/?a=b", "https://x/#f", "http://"} {
		if _, err := New(Config{}.At(bad)); err == nil {
			t.Errorf("%q is accepted as a base", bad)
		}
	}
}

func TestLinks(t *testing.T) {
	for link, want := range map[string]string{
		"https://www.tiktok.com/@a/video/1?utm_campaign=tt4d_open_api&utm_source=key": "https://www.tiktok.com/@a/video/1",
		"https://www.tiktok.com/@a/video/1?lang=de&utm_source=key":                    "https://www.tiktok.com/@a/video/1?lang=de",
		"https://www.tiktok.com/@a/video/1":                                           "https://www.tiktok.com/@a/video/1",
		"javascript:alert(1)":                                                         "",
		"/@a/video/1":                                                                 "",
		"https://x/" + strings.Repeat("a", maxLink):                                   "",
		"https://www.tiktok.com/@a/video/1\nX-Evil: a":                                "",
	} {
		if got := withoutTracking(link); got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}

func TestWait(t *testing.T) {
	sent := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var got []time.Duration
	for now, i := sent, 0; i < 6; i++ {
		w := wait(now, handle{SentAt: sent.Unix()})
		got, now = append(got, w), now.Add(w)
	}
	want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, time.Minute}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if w := wait(sent.Add(2*time.Hour), handle{SentAt: sent.Unix()}); w != 10*time.Minute {
		t.Errorf("after hours: got %s", w)
	}
	if w := wait(sent.Add(-5*time.Minute), handle{SentAt: sent.Unix()}); w != 5*time.Second {
		t.Errorf("after the clock was set back: got %s", w)
	}
}
