// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

func TestCompose(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for name, c := range map[string]struct {
		title, caption   string
		want, wantWords  string
		refused, catalog string
	}{
		"unchanged":                        {title: "Bread 🥖", caption: "One\n\nTwo", want: "Bread 🥖", wantWords: "One\n\nTwo"},
		"angle brackets":                   {title: "I <3 bread", caption: "a < b > c", want: "I ‹3 bread", wantWords: "a ‹ b › c"},
		"control characters and line ends": {title: "a\x00b\tc\r\nd", caption: "x\r\ny\x07\u2028", want: "ab c d", wantWords: "x\ny"},
		"invalid characters":               {title: "a\xffb", caption: "\xc3", want: "ab"},
		"no title":                         {caption: "First line\nsecond", want: "First line", wantWords: "First line\nsecond"},
		"no title and a long line":         {caption: long, want: strings.TrimSpace(strings.Repeat("word ", 19)) + "…", wantWords: strings.TrimSpace(long)},
		"nothing":                          {refused: "invalidTitle"},
		"title of spaces":                  {title: " \n ", refused: "invalidTitle"},
		"100 characters":                   {title: strings.Repeat("é", 100), want: strings.Repeat("é", 100)},
		"101 characters":                   {title: strings.Repeat("é", 101), refused: "invalidTitle", catalog: "title_too_long"},
		"51 emoji of two units each":       {title: strings.Repeat("🥖", 51), refused: "invalidTitle", catalog: "title_too_long"},
		"5000 bytes":                       {title: "t", caption: strings.Repeat("é", 2500), want: "t", wantWords: strings.Repeat("é", 2500)},
		"5001 bytes":                       {title: "t", caption: strings.Repeat("é", 2500) + "x", refused: "invalidDescription", catalog: "caption_too_long"},
		"5000 bytes with brackets":         {title: "t", caption: strings.Repeat("a", 4999) + "<", want: "t", wantWords: strings.Repeat("a", 4999)},
		"brackets at the limit":            {title: "<>", want: "‹›"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := compose(publish.Draft{Title: c.title, Caption: c.caption})
			var e *publish.Error
			if errors.As(err, &e) {
				if e.Code != c.refused || e.CatalogCode != c.catalog || e.Kind != publish.Rejected {
					t.Errorf("rejected with %+v, want %q (%q)", e, c.refused, c.catalog)
				}
				return
			}
			if c.refused != "" {
				t.Fatalf("accepted as %+v, want a rejection", got)
			}
			if diff := cmp.Diff([]string{c.want, c.wantWords}, []string{got.title, got.description}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTags(t *testing.T) {
	hundred := strings.Repeat("x", 100)
	for name, c := range map[string]struct{ in, want []string }{
		"none":       {},
		"cleaned":    {[]string{"#bread", " slow  food ", "a,b", `"q"`, "<b>", "", "#"}, []string{"bread", "slow food", "a b", "q", "b"}},
		"repeated":   {[]string{"Bread", "bread", "#BREAD"}, []string{"Bread"}},
		"too long":   {[]string{hundred + "y", "short"}, []string{"short"}},
		"exactly":    {[]string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", hundred[5:] + "d"}, []string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", hundred[5:] + "d"}},
		"one over":   {[]string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", hundred[4:] + "d"}, []string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c"}},
		"quoted":     {[]string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", hundred[7:] + " d"}, []string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c"}},
		"later fits": {[]string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", hundred[1:] + "d", "e"}, []string{hundred, hundred[1:] + "a", hundred[1:] + "b", hundred[1:] + "c", "e"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, tags(c.in)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestFits(t *testing.T) {
	good := publish.Media{Bytes: 1, Duration: 15 * time.Minute}
	for name, c := range map[string]struct {
		d    publish.Draft
		want string
	}{
		"a video":        {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Video: &good}, ""},
		"a draft":        {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDraft, Video: &good}, ""},
		"photos":         {publish.Draft{Kind: catalog.MediaPhotoSet, Mode: catalog.PostDirect}, "not_a_video"},
		"no video":       {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDirect}, "not_a_video"},
		"an empty video": {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Video: &publish.Media{}}, "mediaBodyRequired"},
		"too long":       {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Video: &publish.Media{Bytes: 1, Duration: 15*time.Minute + time.Second}}, "length"},
		"too large":      {publish.Draft{Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Video: &publish.Media{Bytes: 256<<30 + 1}}, "too_large"},
		"another mode":   {publish.Draft{Kind: catalog.MediaVideo, Mode: "loud", Video: &good}, "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if e := (*publish.Error)(nil); errors.As(fits(c.d), &e) {
				got = e.Code
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLink(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := New(Config{}.At("http://127.0.0.1:8300/youtube/"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w, h int
		d    time.Duration
		want string
	}{
		{1080, 1920, time.Minute, "/shorts/abc"},
		{1080, 1920, 3 * time.Minute, "/shorts/abc"},
		{1080, 1920, 3*time.Minute + time.Second, "/watch?v=abc"},
		{1080, 1080, time.Minute, "/shorts/abc"},
		{1920, 1080, time.Minute, "/watch?v=abc"},
		{0, 0, 0, "/watch?v=abc"},
	} {
		t.Run(fmt.Sprint(c.w, c.h, c.d), func(t *testing.T) {
			d := publish.Draft{Video: &publish.Media{Width: c.w, Height: c.h, Duration: c.d}}
			if got := p.link(d, "abc"); got != "https://www.youtube.com"+c.want {
				t.Errorf("got %s", got)
			}
			if got := at.link(d, "abc"); got != "http://127.0.0.1:8300/youtube"+c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}
