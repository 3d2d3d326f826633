// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The requests match YouTube's documentation exactly.
func TestRequests_MatchTheDocumentation(t *testing.T) {
	r := newRig(t)
	page, err := url.Parse(r.AuthorizeURL(authorization))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(url.Values{
		"client_id": {"sandbox-app"}, "redirect_uri": {"http://127.0.0.1:9/callback"}, "response_type": {"code"}, "scope": {"https://www.googleapis.com/auth/youtube"},
		"access_type": {"offline"}, "prompt": {"consent"}, "state": {"s t"}, "code_challenge": {"EPLRB-mJyFPMDGrrGA6Ecy8kCSaKez3dx7RPEqzr0OQ"}, "code_challenge_method": {"S256"},
	}, page.Query()); diff != "" || page.Path != "/youtube/o/oauth2/v2/auth" {
		t.Errorf("%s -want +got\n%s", page.Path, diff)
	}
	if _, err := r.Refresh(t.Context(), r.tokens); err != nil {
		t.Fatal(err)
	}
	d := draft(newMedia(aFilm(t, 300<<10)), "the key")
	if _, err := r.prepare(d); err != nil {
		t.Fatal(err)
	}
	r.clock.Step(time.Minute)
	r.ready(d)
	r.commit(d)

	secret := regexp.MustCompile(`upload_id=\w+|code=[^&]+|refresh_token=[^&]+|id=\w{11}\b|"id":"\w{11}"`)
	var got []string
	for i, line := range r.wire.lines {
		h := r.wire.heads[i]
		for _, name := range []string{"Content-Type", "Content-Range", "X-Upload-Content-Length", "X-Upload-Content-Type", "Slug"} {
			if v := h.Get(name); v != "" {
				line += "\n" + name + ": " + v
			}
		}
		if a := h.Get("Authorization"); a != "" && a != "Bearer "+r.account.AccessToken {
			t.Errorf("%s has the body %s", line, a)
		} else if a == "" {
			line += "\nwithout a token"
		}
		if r.wire.docs[i] != "" {
			line += "\n" + r.wire.docs[i]
		}
		got = append(got, secret.ReplaceAllStringFunc(line, func(s string) string { return s[:strings.IndexAny(s, "=:")+1] + "…" }))
	}
	want := []string{
		"POST /youtube/token\nContent-Type: application/x-www-form-urlencoded\nwithout a token\n" +
			"client_id=sandbox-app&client_secret=sandbox-secret&code=…&code_verifier=" + verifier + "&grant_type=authorization_code&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback",
		"GET /youtube/youtube/v3/channels?mine=true&part=snippet",
		"POST /youtube/token\nContent-Type: application/x-www-form-urlencoded\nwithout a token\nclient_id=sandbox-app&client_secret=sandbox-secret&grant_type=refresh_token&refresh_token=…",
		"POST /youtube/upload/youtube/v3/videos?notifySubscribers=true&part=snippet%2Cstatus&uploadType=resumable\nContent-Type: application/json; charset=UTF-8\n" +
			"X-Upload-Content-Length: 307200\nX-Upload-Content-Type: video/mp4\nSlug: " + slug("the key") + "\n" +
			`{"snippet":{"title":"Bread \u0026 ‹butter›","description":"Five steps\n#bread","tags":["bread","slow food"],"categoryId":"22"},"status":{"privacyStatus":"private","selfDeclaredMadeForKids":false}}`,
		"PUT /youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status&upload_id=…\nContent-Type: video/mp4\nContent-Range: bytes 0-262143/307200",
		"PUT /youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status&upload_id=…\nContent-Type: video/mp4\nContent-Range: bytes 262144-307199/307200",
		"GET /youtube/youtube/v3/videos?id=…&part=status%2CprocessingDetails",
		"GET /youtube/youtube/v3/videos?id=…&part=status%2CprocessingDetails",
		"GET /youtube/youtube/v3/videos?id=…&part=snippet%2Cstatus%2CprocessingDetails",
		"PUT /youtube/youtube/v3/videos?part=status\nContent-Type: application/json; charset=UTF-8\n" +
			`{"id":…,"status":{"embeddable":true,"license":"youtube","privacyStatus":"public","publicStatsViewable":true,"selfDeclaredMadeForKids":false}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
