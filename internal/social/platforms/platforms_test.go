// SPDX-License-Identifier: Apache-2.0

package platforms_test

import (
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

func settings(t *testing.T, secrets bool, args ...string) *platforms.Settings {
	t.Helper()
	s := &platforms.Settings{}
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	s.Flags(f, secrets)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t *testing.T, s *platforms.Settings) platforms.Set {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	out, err := s.Open(clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func page(p publish.Platform) *url.URL {
	u, _ := url.Parse(p.AuthorizeURL(publish.Authorization{State: "s", Verifier: strings.Repeat("v", 43), RedirectURI: "https://reelops.example/oauth/x/callback"}))
	return u
}

func TestBuild_SandboxForAllPlatforms(t *testing.T) {
	for _, secrets := range []bool{true, false} {
		got := set(t, settings(t, secrets, "--sandbox=http://127.0.0.1:8300/"))
		for _, name := range catalog.Platforms() {
			p := got[v1beta1.Platform(name)]
			if p == nil {
				t.Errorf("%s is missing", name)
				continue
			}
			if len(p.Missing()) > 0 || string(p.Name()) != name {
				t.Errorf("%s lacks %v", p.Name(), p.Missing())
			}
			if u := page(p); u.Host != "127.0.0.1:8300" || !strings.HasPrefix(u.Path, "/"+name+"/") || !strings.Contains(u.RawQuery, sandbox.ClientID) {
				t.Errorf("%s redirects to %s", name, u)
			}
		}
	}
	if platforms.SandboxClientID != sandbox.ClientID || platforms.SandboxClientSecret != sandbox.ClientSecret {
		t.Error("the sandbox has another app")
	}
}

func TestBuild_RealApps(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := set(t, settings(t, true, "--tiktok-client-id=app7", "--tiktok-client-secret-file="+secret))
	if p := got["tiktok"]; len(p.Missing()) > 0 || page(p).Host != "www.tiktok.com" {
		t.Errorf("TikTok lacks %v, and redirects to %s", p.Missing(), page(p).Host)
	}
	if m := got["youtube"].Missing(); len(m) != 1 || m[0] != "client_id" {
		t.Errorf("YouTube lacks %v", m)
	}
}

func TestBuild_RedirectURLs(t *testing.T) {
	for _, c := range []struct {
		base string
		ok   bool
	}{
		{"https://reelops.example", true},
		{"http://127.0.0.1:8080", true},
		{"http://localhost:8080", true},
		{"http://[::1]:8080", true},
		{"http://reelops.example", false},
		{"http://10.0.0.7:8080", false},
	} {
		s := settings(t, false, "--tiktok-client-id=app7")
		if got := s.ReachedAt(set(t, s), c.base)["tiktok"].Missing(); (len(got) == 0) != c.ok {
			t.Errorf("%s: got missing %v", c.base, got)
		}
		s = settings(t, false, "--sandbox=http://sandbox:8300")
		if got := s.ReachedAt(set(t, s), c.base)["tiktok"].Missing(); len(got) > 0 {
			t.Errorf("got %v for %s, although a sandbox redirects anywhere", got, c.base)
		}
	}
}

func TestBuild_InvalidSettings(t *testing.T) {
	for _, c := range []struct {
		why, arg string
		secrets  bool
		want     string
	}{
		{"a client id without its secret", "--tiktok-client-id=app7", true, "--tiktok-client-secret-file"},
		{"no URL", "--sandbox=8300", false, "--sandbox"},
	} {
		if err := settings(t, c.secrets, c.arg).Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.why, err)
		}
	}
	if err := settings(t, false, "--sandbox=http://a:1", "--tiktok-client-id=x").Check(); err == nil {
		t.Error("an app and a sandbox are accepted together")
	}
	s := settings(t, true, "--tiktok-client-id=app7", "--tiktok-client-secret-file="+filepath.Join(t.TempDir(), "none"))
	if _, err := s.Open(clock.RealClock{}); err == nil {
		t.Error("an unreadable secret is accepted")
	}
}

// The list of platforms with analytics and the sources of analytics must agree.
func TestBuild_AnalyticsSources(t *testing.T) {
	for _, args := range [][]string{nil, {"--linkedin-analytics"}, {"--sandbox=http://127.0.0.1:8300"}, {"--sandbox=http://127.0.0.1:8300", "--linkedin-analytics"}} {
		s := settings(t, false, args...)
		all := set(t, s)
		for why, some := range map[string]platforms.Set{"the set": all, "an invalid redirect URL": s.ReachedAt(all, "http://reelops.example")} {
			want := catalog.AnalyticsPlatforms(s.LinkedInAnalytics)
			var got []string
			for name, source := range some.Sources() {
				if got = append(got, string(name)); source == nil {
					t.Errorf("%v: unknown %s of %s", args, name, why)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%v: %s has the sources %v, want %v", args, why, got, want)
			}
		}
		asks := page(all["linkedin"]).Query().Get("scope")
		if strings.Contains(asks, "r_member_postAnalytics") != s.LinkedInAnalytics {
			t.Errorf("%v: members are asked for the scopes %s", args, asks)
		}
	}
}

func TestLinkedIn(t *testing.T) {
	for pages, want := range map[string]string{"--linkedin-pages": "rw_organization_admin", "--linkedin-pages=false": "openid"} {
		u := page(set(t, settings(t, false, "--linkedin-client-id=app7", pages))["linkedin"])
		if scope := u.Query().Get("scope"); !strings.Contains(scope, want) || u.Host != "www.linkedin.com" {
			t.Errorf("%s: the scopes of %s are %s", pages, u.Host, scope)
		}
	}
	if _, err := settings(t, true, "--linkedin-version=2026").Open(clock.RealClock{}); err == nil || !strings.Contains(err.Error(), "year and a month") {
		t.Errorf("an invalid version is accepted: %v", err)
	}
}

// A platform rejects all users when an app requests a scope that it was not approved for. By default only the scopes
// for posting are requested.
func TestScopesAreConfigurable(t *testing.T) {
	for _, c := range []struct {
		args     []string
		platform string
		want     string
	}{
		{[]string{"--tiktok-client-id=app7"}, "tiktok", "user.info.basic,video.publish,video.upload"},
		{[]string{"--tiktok-client-id=app7", "--tiktok-scopes=user.info.basic, video.upload"}, "tiktok", "user.info.basic,video.upload"},
		{[]string{"--sandbox=http://127.0.0.1:8300"}, "tiktok", "user.info.basic,user.info.profile,user.info.stats,video.list,video.publish,video.upload"},
		{[]string{"--youtube-client-id=app7"}, "youtube", "https://www.googleapis.com/auth/youtube"},
		{
			[]string{"--youtube-client-id=app7", "--youtube-scopes=https://www.googleapis.com/auth/youtube,https://www.googleapis.com/auth/youtube.force-ssl"},
			"youtube",
			"https://www.googleapis.com/auth/youtube https://www.googleapis.com/auth/youtube.force-ssl",
		},
		{
			[]string{"--instagram-client-id=app7"},
			"instagram",
			"instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights",
		},
		{
			[]string{
				"--instagram-client-id=app7",
				"--instagram-scopes=instagram_business_basic, instagram_business_content_publish, instagram_business_manage_comments",
			},
			"instagram",
			"instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments",
		},
	} {
		if got := page(set(t, settings(t, false, c.args...))[v1beta1.Platform(c.platform)]).Query().Get("scope"); got != c.want {
			t.Errorf("%v: got the scopes %s, want %s", c.args, got, c.want)
		}
	}
	for _, arg := range []string{"--tiktok-scopes=user.info.basic", "--youtube-scopes=openid", "--instagram-scopes=instagram_business_basic"} {
		if _, err := settings(t, false, arg).Open(clock.RealClock{}); err == nil || !strings.Contains(err.Error(), "scopes") {
			t.Errorf("the scopes %s, which do not permit publishing: got %v", arg, err)
		}
	}
}

func TestAvatarSources(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{nil, nil},
		{[]string{"--sandbox=http://127.0.0.1:8300/x"}, []string{"http://127.0.0.1:8300"}},
		{
			[]string{"--linkedin-client-id=a", "--tiktok-client-id=b"},
			[]string{
				"https://*.tiktokcdn.com", "https://*.tiktokcdn-us.com", "https://*.tiktokcdn-eu.com",
				"https://media.licdn.com",
			},
		},
	} {
		got := settings(t, false, tt.args...).AvatarSources()
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.args, got, tt.want)
		}
	}
}
