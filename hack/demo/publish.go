// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/hack/service"
)

// person is the name of the user who approves on the platforms' pages, as the sandbox knows it. handle is the user name
// of the account.
const person, handle = "maya", "mayas.kitchen"

// The used fields of connections and posts.
type (
	account struct {
		ID       int64  `json:"social_data_id"`
		Platform string `json:"platform"`
		Name     string `json:"account_name"`
		Username string `json:"username"`
		Ready    bool   `json:"ready_to_post"`
	}
	connections struct {
		Accounts  []account `json:"accounts"`
		Platforms []string  `json:"supported_platforms"`
	}
	issue struct {
		Code, Message, Severity string
	}
	validation struct {
		OK       bool    `json:"ok"`
		Issues   []issue `json:"issues"`
		Verdicts []struct {
			account
			OK     bool    `json:"ok"`
			Issues []issue `json:"issues"`
		} `json:"verdicts"`
	}
	batch struct {
		Overall string `json:"overall_status"`
		ID      string `json:"batch_id"`
		Results []struct {
			account
			ShareID int64  `json:"share_id"`
			Status  string `json:"status"`
			Error   *issue `json:"error"`
		} `json:"results"`
	}
	post struct {
		ID       int64  `json:"id"`
		Platform string `json:"platform"`
		Name     string `json:"account_name"`
		Status   string `json:"status"`
		Delivery string `json:"delivery_state"`
		URL      string `json:"post_url"`
		BatchID  string `json:"batch_id"`
		Error    *issue `json:"error"`
	}
	// landing is an entry of the sandbox's ledger.
	landing struct {
		Platform, Account, Title, Caption, URL, SHA256 string
	}
)

// publish posts the short on one account of every platform, schedules two more posts, and cancels one of them.
func publish(ctx context.Context, s *service.Service, short int64, film, out string) error {
	if s.Sandbox == "" {
		info("the service has no sandbox, so nothing is published: `make run` starts one")
		return nil
	}
	targets, err := connectAll(ctx, s)
	if err != nil {
		return err
	}
	ids := make([]int64, len(targets))
	for i, a := range targets {
		ids[i] = a.ID
	}

	step("POST /api/v1/posts/validate for %d accounts", len(targets))
	body := map[string]any{"short_id": short, "social_data_ids": ids, "posting_mode": "direct"}
	if err := validate(ctx, s, body); err != nil {
		return err
	}

	step("POST /api/v1/posts")
	sending := time.Now()
	var made batch
	if err := s.API.Call(ctx, "POST", "/posts", body, &made); err != nil {
		return err
	}
	info("202: %s is accepted with overall_status %s", made.ID, made.Overall)
	posts, err := settled(ctx, s, short, made.ID, len(targets))
	if err != nil {
		return err
	}
	info("all published after %.1f s:", time.Since(sending).Seconds())
	for _, p := range posts {
		fmt.Printf("      %-10s %-16s %-10s %s\n", p.Platform, p.Name, p.Delivery, p.URL)
	}

	if err := laterAndNever(ctx, s, short, ids[0]); err != nil {
		return err
	}

	step("GET %s/ledger: the posts that the platforms received", s.Sandbox)
	if err := landed(ctx, s, posts, film); err != nil {
		return err
	}
	return picture(ctx, s.Sandbox, out)
}

// connectAll connects the user's account on every platform, as the user would, unless it is already connected.
func connectAll(ctx context.Context, s *service.Service) ([]account, error) {
	step("POST /api/v1/connections/link for every platform, and %s approves", person)
	var c connections
	if err := s.API.Call(ctx, "GET", "/connections", nil, &c); err != nil {
		return nil, err
	}
	var out []account
	for _, platform := range c.Platforms {
		a, ready := ofPerson(c, platform)
		if ready {
			info("%-10s %s is already connected", platform, a.Name)
			out = append(out, a)
			continue
		}
		var link struct {
			URL string `json:"authorize_url"`
		}
		if err := s.API.Call(ctx, "POST", "/connections/link", map[string]string{"platform": platform}, &link); err != nil {
			return nil, err
		}
		if err := approve(ctx, link.URL); err != nil {
			return nil, fmt.Errorf("approving on %s: %w", platform, err)
		}
		a, err := arrived(ctx, s, platform)
		if err != nil {
			return nil, err
		}
		info("%-10s %s (@%s) is account %d", platform, a.Name, a.Username, a.ID)
		out = append(out, a)
	}
	return out, nil
}

func ofPerson(c connections, platform string) (account, bool) {
	i := slices.IndexFunc(c.Accounts, func(a account) bool { return a.Platform == platform && a.Username == handle })
	if i < 0 {
		return account{}, false
	}
	return c.Accounts[i], c.Accounts[i].Ready
}

// approve opens the platform's page and approves, which redirects back to the service.
func approve(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"&approve="+person, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned status %d", res.Request.URL.Host, res.StatusCode)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// arrived waits until the account is connected: the manager exchanges the code that the redirect delivered.
func arrived(ctx context.Context, s *service.Service, platform string) (account, error) {
	var c connections
	for range 60 {
		if err := s.API.Call(ctx, "GET", "/connections", nil, &c); err != nil {
			return account{}, err
		}
		if a, ready := ofPerson(c, platform); ready {
			return a, nil
		}
		if err := rest(ctx, 500*time.Millisecond); err != nil {
			return account{}, err
		}
	}
	return account{}, fmt.Errorf("the account approved on %s is not among the connections after 30 s", platform)
}

func validate(ctx context.Context, s *service.Service, body map[string]any) error {
	var v validation
	if err := s.API.Call(ctx, "POST", "/posts/validate", body, &v); err != nil {
		return err
	}
	for _, verdict := range v.Verdicts {
		result := "would be accepted"
		if !verdict.OK {
			result = "would be rejected"
		}
		for _, i := range verdict.Issues {
			result += "; " + i.Severity + " " + i.Code + ": " + i.Message
		}
		info("%-10s %s", verdict.Platform, result)
	}
	if !v.OK {
		return fmt.Errorf("not every account would accept the post: %v", v.Issues)
	}
	return nil
}

// settled waits until every post of a batch is final, and returns the posts if all were published.
func settled(ctx context.Context, s *service.Service, short int64, id string, many int) ([]post, error) {
	var all []post
	for range 120 {
		if err := s.API.Call(ctx, "GET", fmt.Sprintf("/posts?short_id=%d&per_page=50", short), nil, &all); err != nil {
			return nil, err
		}
		of := slices.DeleteFunc(all, func(p post) bool { return p.BatchID != id })
		final := 0
		for _, p := range of {
			switch {
			case p.Status == "failed":
				return nil, fmt.Errorf("the post on %s failed: %+v", p.Platform, p.Error)
			case p.Status == "success" && p.URL != "":
				final++
			}
		}
		if final == many {
			slices.SortFunc(of, func(a, b post) int { return int(a.ID - b.ID) })
			return of, nil
		}
		if err := rest(ctx, time.Second); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("not all posts are published after 2 minutes: %+v", all)
}

// laterAndNever schedules a post for tomorrow, and another one that it cancels.
func laterAndNever(ctx context.Context, s *service.Service, short, target int64) error {
	step("POST /api/v1/posts with scheduled_at, twice, and DELETE /api/v1/posts/{id}")
	when := time.Now().Add(24 * time.Hour).Truncate(time.Hour)
	var kept, dropped batch
	for i, b := range []*batch{&kept, &dropped} {
		at := when.Add(time.Duration(i) * time.Hour).UTC().Format(time.RFC3339)
		if err := s.API.Call(ctx, "POST", "/posts", map[string]any{"short_id": short, "social_data_ids": []int64{target}, "scheduled_at": at}, b); err != nil {
			return err
		}
		if len(b.Results) != 1 || b.Results[0].Status != "scheduled" {
			return fmt.Errorf("not scheduled: %+v", b.Results)
		}
	}
	info("post %d is scheduled for %s", kept.Results[0].ShareID, when.UTC().Format("2006-01-02 15:04 MST"))
	var p post
	if err := s.API.Call(ctx, "DELETE", fmt.Sprintf("/posts/%d", dropped.Results[0].ShareID), nil, &p); err != nil {
		return err
	}
	if p.Status != "cancelled" {
		return fmt.Errorf("cancelling post %d: status is %s", p.ID, p.Status)
	}
	info("post %d is cancelled", p.ID)
	return nil
}

// landed compares the sandbox's ledger with the posts: every post once, with the bytes of the film.
func landed(ctx context.Context, s *service.Service, posts []post, film string) error {
	doc, err := os.ReadFile(film)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(doc)
	want := hex.EncodeToString(sum[:])
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Sandbox+"/ledger", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var ledger []landing
	if err := json.NewDecoder(res.Body).Decode(&ledger); err != nil {
		return err
	}
	var errs []error
	for _, p := range posts {
		n := 0
		for _, l := range ledger {
			if l.URL != p.URL {
				continue
			}
			n++
			if l.SHA256 != want {
				errs = append(errs, fmt.Errorf("the file on %s differs from the video", p.Platform))
			}
			info("%-10s %s", p.Platform, strings.Join(strings.Fields(l.Title+" | "+l.Caption), " "))
		}
		if n != 1 {
			errs = append(errs, fmt.Errorf("the post on %s was received %d times, want once", p.Platform, n))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	info("every post was received once, with the bytes of %s", film)
	return nil
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
