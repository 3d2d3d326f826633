// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
)

func TestAnswers_Decode(t *testing.T) {
	t.Run("identifiers are strings or numbers above 2^53", func(t *testing.T) {
		for in, want := range map[string]id{`"17841400000000001"`: "17841400000000001", `17841400000000001`: "17841400000000001"} {
			var got id
			if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
				t.Errorf("%s: got %q, %v", in, got, err)
			}
		}
		for _, in := range []string{`1.5`, `1e3`, `-1`, `true`, `{}`} {
			var got id
			if err := json.Unmarshal([]byte(in), &got); err == nil {
				t.Errorf("%s is accepted as %q", in, got)
			}
		}
	})
	t.Run("tokens are nested or flat, permissions are a string or a list", func(t *testing.T) {
		want := tokenAnswer{AccessToken: "t", Permissions: list{"a", "b"}}
		for _, in := range []string{
			`{"data":[{"access_token":"t","user_id":"1784","permissions":"a, b"}]}`,
			`{"access_token":"t","user_id":1784,"permissions":["a","b"]}`,
		} {
			var got tokenAnswer
			if err := one([]byte(in), &got); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", in, diff)
			}
		}
	})
	t.Run("times", func(t *testing.T) {
		for _, in := range []string{`"2026-08-01T07:00:00+0000"`, `"2026-08-01T09:00:00+02:00"`, `"2026-08-01T07:00:00Z"`} {
			var got stamp
			if err := json.Unmarshal([]byte(in), &got); err != nil || !got.Equal(time.Date(2026, 8, 1, 7, 0, 0, 0, time.UTC)) {
				t.Errorf("%s: got %v, %v", in, got, err)
			}
		}
	})
}

func TestHandles(t *testing.T) {
	for _, h := range []handle{{media: "17900000000000001", at: noon}, {container: "1788", at: noon}} {
		got, err := readHandle(h.String())
		if err != nil {
			t.Error(err)
		}
		if got != h {
			t.Errorf("%+v does not round-trip: got %+v", h, got)
		}
	}
	for _, bad := range []string{"", "media:", "media:1", "media:@5", "video:1@5", "media:1@x", "1@5"} {
		if _, err := readHandle(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestMarks_CountsHashtags(t *testing.T) {
	for text, want := range map[string]int{
		"":                          0,
		"#one #two":                 2,
		"#one#two":                  1, // the second is part of the first word
		"# alone, ## twice":         0,
		"write me@example.com":      0,
		"(#in brackets)":            1,
		"#ärger #日本":                2,
		"@":                         0,
		"line\n#new":                1,
		"100#5":                     0,
		strings.Repeat("#tag ", 31): 31,
	} {
		if got := marks(text, '#'); got != want {
			t.Errorf("%q: got %d hashtags, want %d", text, got, want)
		}
	}
	if got := marks("@maya and mail@maya.example", '@'); got != 1 {
		t.Errorf("got %d mentions", got)
	}
}

func TestChecks(t *testing.T) {
	photo := publish.Media{}
	film := &publish.Media{Duration: 10 * time.Second}
	for name, c := range map[string]struct {
		d  publish.Draft
		ok bool
	}{
		"a reel":                         {publish.Draft{Kind: "video", Mode: "direct", Video: film}, true},
		"a reel in draft":                {publish.Draft{Kind: "video", Mode: "draft", Video: film}, false},
		"no video":                       {publish.Draft{Kind: "video", Mode: "direct"}, false},
		"two seconds":                    {publish.Draft{Kind: "video", Mode: "direct", Video: &publish.Media{Duration: 2 * time.Second}}, false},
		"a quarter of an hour":           {publish.Draft{Kind: "video", Mode: "direct", Video: &publish.Media{Duration: 15 * time.Minute}}, true},
		"more than a quarter of an hour": {publish.Draft{Kind: "video", Mode: "direct", Video: &publish.Media{Duration: 15*time.Minute + 1}}, false},
		"no images":                      {publish.Draft{Kind: "photo_set", Mode: "direct"}, false},
		"ten images":                     {publish.Draft{Kind: "photo_set", Mode: "direct", Photos: make([]publish.Media, 10)}, true},
		"eleven images":                  {publish.Draft{Kind: "photo_set", Mode: "direct", Photos: make([]publish.Media, 11)}, false},
		"a story":                        {publish.Draft{Kind: "story", Mode: "direct"}, false},
		"2200 characters": {
			publish.Draft{Kind: "photo_set", Mode: "direct", Photos: []publish.Media{photo}, Caption: strings.Repeat("🥖", 2200)}, true,
		},
		"2201 characters": {
			publish.Draft{Kind: "photo_set", Mode: "direct", Photos: []publish.Media{photo}, Caption: strings.Repeat("a", 2201)}, false,
		},
		"30 hashtags": {
			publish.Draft{Kind: "photo_set", Mode: "direct", Photos: []publish.Media{photo}, Caption: strings.Repeat("#a ", 30)}, true,
		},
		"31 hashtags": {
			publish.Draft{Kind: "photo_set", Mode: "direct", Photos: []publish.Media{photo}, Caption: strings.Repeat("#a ", 31)}, false,
		},
		"21 mentions": {
			publish.Draft{Kind: "photo_set", Mode: "direct", Photos: []publish.Media{photo}, Caption: strings.Repeat("@a ", 21)}, false,
		},
	} {
		err := check(c.d)
		if (err == nil) != c.ok || err != nil && publish.KindOf(err) != publish.Rejected {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPause(t *testing.T) {
	last := time.Duration(0)
	looks := 0
	for age := time.Duration(0); age < maxProcessing; age += pause(age) {
		p := pause(age)
		if p < firstWait || p > lastWait || p < last {
			t.Fatalf("after %v: got %v, previously %v", age, p, last)
		}
		last, looks = p, looks+1
	}
	if looks > 45 {
		t.Errorf("got %d polls within %v", looks, maxProcessing)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]publish.Kind{
		"https://media.example/%C3%A9.mp4?sig=a": "",
		"https://media.example/é.mp4":            publish.Misconfigured,
		"https://media.example/a b.mp4":          publish.Misconfigured,
	} {
		_, err := addressOf(t.Context(), publish.Media{URL: func(context.Context) (string, error) { return address, nil }})
		if want == "" && err != nil || want != "" && publish.KindOf(err) != want {
			t.Errorf("%s: got %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "media.example") {
			t.Errorf("the error contains the URL: %v", err)
		}
	}
	if _, err := addressOf(t.Context(), publish.Media{}); publish.KindOf(err) != publish.Rejected {
		t.Errorf("no URL: got %v", err)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"one\r\ntwo ", "one\ntwo", true},
		{"e\u0301", "\u00e9", true},
		{"", "", true},
		{"a", "b", false},
	} {
		if (plain(c.a) == plain(c.b)) != c.same {
			t.Errorf("%q and %q compare wrongly", c.a, c.b)
		}
	}
}

func TestConfig(t *testing.T) {
	p, err := New(Config{ClientID: "123"})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.AuthorizeURL(publish.Authorization{State: "s&t", RedirectURI: "https://reelops.example/oauth/instagram/callback"}))
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"client_id": {"123"}, "redirect_uri": {"https://reelops.example/oauth/instagram/callback"}, "response_type": {"code"}, "state": {"s&t"},
		"scope": {"instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights"},
	}
	if diff := cmp.Diff(want, u.Query()); diff != "" || u.Scheme+"://"+u.Host+u.Path != "https://www.instagram.com/oauth/authorize" {
		t.Errorf("%s (-want +got):\n%s", u, diff)
	}
	if got := p.Missing(); len(got) != 0 {
		t.Errorf("got missing settings %v", got)
	}
	if p, _ := New(Config{}); len(p.Missing()) != 1 {
		t.Error("an app without an id is complete")
	}
	for _, bad := range []Config{{GraphBase: "graph.instagram.com"}, {WebBase: "ftp://x"}, {Version: "v25/0"}} {
		if _, err := New(bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if got := cleanCode("AQB#_"); got != "AQB" {
		t.Errorf("got code %q", got)
	}
}
