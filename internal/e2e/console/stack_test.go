// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// keyOfRun returns the API key that the program run created.
func (c *consoleTest) keyOfRun(t *testing.T) string {
	t.Helper()
	env, err := os.ReadFile(filepath.Join(c.dir, "data", "env"))
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`REELOPS_API_KEY=(\S+)`).FindSubmatch(env)
	if key == nil {
		t.Fatalf("the program run wrote no key: %s", env)
	}
	return string(key[1])
}

// program runs one of the built programs as the administrator, and returns its output.
func (c *consoleTest) program(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(c.dir, "data", "kubeconfig"))
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, problem.String())
	}
	return out.String()
}

// newLink returns a new link to the console for the administrator, or for the user of the arguments.
func (c *consoleTest) newLink(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"console", "--account", account, "--url", c.url, "-o", "json"}, args...)
	out := c.program(t, "reelops", args...)
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.URL == "" {
		t.Fatalf("no link: %v %s", err, out)
	}
	return made.URL
}

// signedIn returns a window that is signed in as the administrator, with the library open.
func (c *consoleTest) signedIn(t *testing.T) *window {
	t.Helper()
	w := c.open(t)
	w.visit(c.newLink(t))
	w.sees("heading", "Library")
	return w
}

// api is an API client for one brand.
type api struct {
	c     *consoleTest
	brand int64 // 0 for the key's own brand
}

// call sends a request, which must succeed, and decodes the data of the response.
func (a api) call(t *testing.T, method, path string, body, into any) {
	t.Helper()
	waitFor(t, func() bool { return a.try(t, method, path, body, into) }, method+" "+path)
}

// try returns false if the request may be repeated.
func (a api) try(t *testing.T, method, path string, body, into any) bool {
	t.Helper()
	var doc []byte
	if body != nil {
		var err error
		if doc, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequest(method, a.c.url+"/api/v1"+path, bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.c.key)
	req.Header.Set("Content-Type", "application/json")
	if a.brand != 0 {
		req.Header.Set("X-Brand-Id", strconv.FormatInt(a.brand, 10))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		return false
	}
	if res.StatusCode >= 300 {
		t.Fatalf("%s %s: %s\n%s", method, path, res.Status, text)
	}
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(text, &envelope); err != nil {
		t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(envelope.Data, into); err != nil {
			t.Fatalf("%s %s: %v\n%s", method, path, err, envelope.Data)
		}
	}
	return true
}

type short struct {
	ID           int64
	Title        *string
	Status       string
	RenderStatus string  `json:"render_status"`
	VideoURL     *string `json:"video_url"`
}

type connection struct {
	ID       int64 `json:"social_data_id"`
	Platform string
	Ready    bool `json:"ready_to_post"`
}

// anyVideo returns a short with a video. It creates one if there is none.
func (a api) anyVideo(t *testing.T) int64 {
	t.Helper()
	var all []short
	a.call(t, http.MethodGet, "/shorts?per_page=50", nil, &all)
	for _, s := range all {
		if s.RenderStatus == "succeeded" {
			return s.ID
		}
	}
	id := a.create(t, map[string]any{"context": "How to sleep better. Go to bed at the same time. No coffee after 2 pm. " +
		"Keep the bedroom cool.", "auto_render": true, "slide_count": 3})
	waitUntil(t, workTimeout, func() bool {
		var s short
		a.call(t, http.MethodGet, fmt.Sprintf("/shorts/%d", id), nil, &s)
		return s.RenderStatus == "succeeded"
	}, "the video is rendered")
	return id
}

// create creates a slideshow and waits for its slides.
func (a api) create(t *testing.T, body map[string]any) int64 {
	t.Helper()
	var job struct {
		ID int64 `json:"job_id"`
	}
	a.call(t, http.MethodPost, "/slideshows", body, &job)
	waitUntil(t, workTimeout, func() bool {
		var s short
		a.call(t, http.MethodGet, fmt.Sprintf("/shorts/%d", job.ID), nil, &s)
		return s.Status == "success_slideshow"
	}, "the slides are drawn")
	return job.ID
}

// onward matches the automatic refresh of a page: to the captured address, or to itself.
var onward = regexp.MustCompile(`http-equiv="refresh" content="\d+(?:; *url=([^"]+))?"`)

// connected returns an account that is ready on a platform. It connects one if there is none.
func (a api) connected(t *testing.T, platform, name string) int64 {
	t.Helper()
	find := func() int64 {
		var all struct{ Accounts []connection }
		a.call(t, http.MethodGet, "/connections", nil, &all)
		i := slices.IndexFunc(all.Accounts, func(c connection) bool { return c.Platform == platform && c.Ready })
		if i < 0 {
			return 0
		}
		return all.Accounts[i].ID
	}
	if id := find(); id != 0 {
		return id
	}
	var link struct {
		URL string `json:"authorize_url"`
	}
	a.call(t, http.MethodPost, "/connections/link", map[string]any{"platform": platform}, &link)
	at := link.URL + "&approve=" + name
	waitFor(t, func() bool {
		res, err := http.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		doc, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %s\n%s", at, err, res.Status, doc)
		}
		at = res.Request.URL.String()
		next := onward.FindSubmatch(doc)
		if next != nil && len(next[1]) > 0 {
			at = html.UnescapeString(string(next[1]))
		}
		return next == nil
	}, "the account "+name+" is connected")
	var id int64
	waitFor(t, func() bool { id = find(); return id != 0 }, "the account "+name+" is ready")
	return id
}

// schedule schedules a post and returns its id. settings belong to the platform of the account.
func (a api) schedule(t *testing.T, body map[string]any) int64 {
	t.Helper()
	var batch struct {
		Overall string `json:"overall_status"`
		Results []struct {
			ID    int64 `json:"share_id"`
			Error any
		}
	}
	a.call(t, http.MethodPost, "/posts", body, &batch)
	if batch.Overall != "success" || len(batch.Results) == 0 {
		t.Fatalf("scheduling: %+v", batch)
	}
	return batch.Results[0].ID
}

// hold sets whether posts of the brand wait for approval.
func (a api) hold(t *testing.T, brand string, held bool) {
	t.Helper()
	policy := `null`
	if held {
		policy = `"hold"`
	}
	a.c.program(t, "kubectl", "patch", "brands.reelops.dev", brand, "-n", account, "--type=merge",
		"-p", `{"spec":{"approval":`+policy+`}}`)
	waitFor(t, func() bool {
		var is struct {
			Held bool `json:"approval_required"`
		}
		a.call(t, http.MethodGet, "/brand", nil, &is)
		return is.Held == held
	}, "the brand has the approval policy "+policy)
}

// tiktokPost returns a request that schedules a post on TikTok.
func tiktokPost(short, account int64, at time.Time) map[string]any {
	return map[string]any{
		"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": at.UTC().Format(time.RFC3339),
		"platform_customizations": map[string]any{strconv.FormatInt(account, 10): map[string]any{
			"tiktok": map[string]any{"privacy_level": "SELF_ONLY"},
		}},
	}
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, condition func() bool, name string) {
	t.Helper()
	waitUntil(t, waitTimeout, condition, name)
}

func waitUntil(t *testing.T, timeout time.Duration, condition func() bool, name string) {
	t.Helper()
	// Requests count towards the limits of the key.
	NewWithT(t).Eventually(condition).WithTimeout(timeout).WithPolling(5*poll).Should(BeTrue(), name)
}
