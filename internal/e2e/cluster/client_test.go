// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// The fields of the responses that the tests read.
type (
	problem struct {
		Code, Message string
		Retryable     bool
	}
	job struct {
		ID     int64  `json:"job_id"`
		Status string `json:"status"`
		Result struct {
			VideoURL string `json:"video_url"`
			Slides   struct {
				Count int `json:"count"`
			} `json:"slides"`
		} `json:"result"`
		Error *problem `json:"error"`
	}
	account struct {
		ID       int64  `json:"social_data_id"`
		Platform string `json:"platform"`
		Username string `json:"username"`
		Ready    bool   `json:"ready_to_post"`
	}
	batch struct {
		ID      string `json:"batch_id"`
		Overall string `json:"overall_status"`
		Results []struct {
			ShareID int64  `json:"share_id"`
			Status  string `json:"status"`
		} `json:"results"`
	}
	post struct {
		ID       int64    `json:"id"`
		Platform string   `json:"platform"`
		Status   string   `json:"status"`
		URL      string   `json:"post_url"`
		BatchID  string   `json:"batch_id"`
		Error    *problem `json:"error"`
	}
	// landing is a post as the sandbox received it.
	landing struct{ Platform, Account, Caption, URL, SHA256 string }
)

// api is an API client with one key, which calls the Service.
type api struct {
	n   *node
	key string
	// id is the idempotency key of the requests, if any.
	id string
}

// refusal is a response that is not a success.
type refusal struct {
	status int
	after  string
	errors []problem
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%d (Retry-After %q) %+v", r.status, r.after, r.errors)
}

// call sends one request, without retries.
func (a *api) call(ctx context.Context, method, path string, body, into any) error {
	var doc []byte
	var err error
	if body != nil {
		if doc, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, a.n.base+"/api/v1"+path, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	if a.id != "" {
		req.Header.Set("Idempotency-Key", a.id)
	}
	res, err := a.n.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var envelope struct {
		Success bool
		Data    json.RawMessage
		Errors  []problem
	}
	if err := json.NewDecoder(res.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("%s %s: %d: %w", method, path, res.StatusCode, err)
	}
	if !envelope.Success {
		return fmt.Errorf("%s %s: %w", method, path, &refusal{res.StatusCode, res.Header.Get("Retry-After"), envelope.Errors})
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Data, into)
}

func (a *api) do(t *testing.T, method, path string, body, into any) {
	t.Helper()
	if err := a.call(t.Context(), method, path, body, into); err != nil {
		t.Fatal(err)
	}
}

// newAPI creates a key and waits until the front end accepts it.
func (n *node) newAPI(t *testing.T, tenant, name string) *api {
	t.Helper()
	var made struct{ Secret string }
	out := n.reelops(t, "key", "create", "--account", tenant, "--brand", tenant, "--name", name, "--scopes", "admin", "-o", "json")
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err, out)
	}
	a := &api{n: n, key: made.Secret}
	NewWithT(t).Eventually(func() error { return a.call(t.Context(), "GET", "/account", nil, nil) }).
		WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	return a
}

// done polls a job until it has succeeded.
func (a *api) done(t *testing.T, id int64) job {
	t.Helper()
	var j job
	NewWithT(t).Eventually(func(g Gomega) {
		j = job{}
		g.Expect(a.call(t.Context(), "GET", fmt.Sprintf("/jobs/%d", id), nil, &j)).To(Succeed())
		if j.Status == "failed" {
			t.Fatalf("job %d failed: %+v", id, j.Error)
		}
		g.Expect(j.Status).To(Equal("succeeded"))
	}).WithTimeout(2 * patience).WithPolling(2 * time.Second).Should(Succeed())
	return j
}

// connect approves a connection on the page of a platform as the user maya, and waits for the account.
func (a *api) connect(t *testing.T, platform string) account {
	t.Helper()
	var link struct {
		URL string `json:"authorize_url"`
	}
	a.do(t, "POST", "/connections/link", map[string]string{"platform": platform}, &link)
	if _, err := a.n.get(t.Context(), link.URL+"&approve=maya"); err != nil {
		t.Fatalf("approving on %s: %v", platform, err)
	}
	var found account
	NewWithT(t).Eventually(func(g Gomega) {
		var c struct{ Accounts []account }
		g.Expect(a.call(t.Context(), "GET", "/connections", nil, &c)).To(Succeed())
		for _, found = range c.Accounts {
			if found.Platform == platform && found.Username == "mayas.kitchen" && found.Ready {
				return
			}
		}
		g.Expect(c.Accounts).To(BeNil(), "no account is ready")
	}).WithTimeout(patience).WithPolling(nowAndThen).Should(Succeed())
	return found
}

// published waits until all posts of a batch are published.
func (a *api) published(t *testing.T, short int64, id string, many int) []post {
	t.Helper()
	var of []post
	NewWithT(t).Eventually(func(g Gomega) {
		var all []post
		g.Expect(a.call(t.Context(), "GET", fmt.Sprintf("/posts?short_id=%d&per_page=50", short), nil, &all)).To(Succeed())
		of = nil
		for _, p := range all {
			if p.BatchID != id {
				continue
			}
			if p.Status == "failed" {
				t.Fatalf("the post on %s failed: %+v", p.Platform, p.Error)
			}
			g.Expect(p.Status).To(Equal("success"), "%+v", p)
			g.Expect(p.URL).NotTo(BeEmpty())
			of = append(of, p)
		}
		g.Expect(of).To(HaveLen(many))
	}).WithTimeout(patience).WithPolling(time.Second).Should(Succeed())
	return of
}

// ledger returns all posts that the sandbox received.
func (n *node) ledger(t *testing.T) []landing {
	t.Helper()
	doc, err := n.get(t.Context(), sandbox+"/ledger")
	if err != nil {
		t.Fatal(err)
	}
	var out []landing
	if err := json.Unmarshal(doc, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// saying counts the posts with a text in their captions by platform.
func saying(all []landing, text string) map[string]int {
	got := map[string]int{}
	for _, l := range all {
		if strings.Contains(l.Caption, text) {
			got[l.Platform]++
		}
	}
	return got
}
