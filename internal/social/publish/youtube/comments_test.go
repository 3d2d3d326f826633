// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

// commenting returns a rig whose account may comment, and the ID of its public video.
func commenting(t *testing.T) (*rig, string) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.ready(d)
	id := r.commit(d).Handle
	r.c.Scopes = AllScopes
	g, err := r.connect(r.AuthorizeURL(authorization))
	if err != nil {
		t.Fatal(err)
	}
	r.account.AccessToken = g.Tokens.AccessToken
	if lacking := r.LackingForComments(g.Tokens.Scopes); len(lacking) > 0 {
		t.Fatalf("lacking scopes %v", lacking)
	}
	return r, id
}

func TestComment_WritesOneComment(t *testing.T) {
	const text = " First: 5 steps & <more> 🥖\r\n#bread "
	r, id := commenting(t)
	if _, err := r.FindComment(t.Context(), r.account, id, text); !errors.Is(err, publish.ErrNotFound) {
		t.Fatalf("before the comment: got %v", err)
	}
	comment, err := r.Comment(t.Context(), r.account, id, text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"First: 5 steps & <more> 🥖\n#bread"}, r.youtube.Videos()[0].Comments); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if found, err := r.FindComment(t.Context(), r.account, id, text); err != nil || found != comment {
		t.Errorf("found %q, %v; want %q", found, err, comment)
	}
	other := r.account
	other.ID = "UCnobody"
	if _, err := r.FindComment(t.Context(), other, id, text); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("of another account: got %v", err)
	}
}

// A comment whose response was lost may exist. The adapter looks it up and never sends it twice.
func TestComment_LostResponses(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		kind  publish.Kind
		found bool
	}{
		"lost after":         {fault: sandbox.Fault{Do: sandbox.Drop, When: sandbox.After}, kind: publish.Ambiguous, found: true},
		"lost before":        {fault: sandbox.Fault{Do: sandbox.Drop}, kind: publish.Ambiguous},
		"cut after":          {fault: sandbox.Fault{Do: sandbox.Cut, When: sandbox.After}, kind: publish.Ambiguous, found: true},
		"server error after": {fault: sandbox.Fault{Do: sandbox.Status, Status: 503, When: sandbox.After}, kind: publish.Ambiguous, found: true},
		"rate limit":         {fault: sandbox.Fault{Do: sandbox.Status, Status: 429}, kind: publish.RateLimited},
		"quota":              {fault: sandbox.Fault{Do: sandbox.Status, Status: 403, Code: "quotaExceeded"}, kind: publish.RateLimited},
		"token":              {fault: sandbox.Fault{Do: sandbox.Status, Status: 401}, kind: publish.Unauthorized},
		"scope":              {fault: sandbox.Fault{Do: sandbox.Status, Status: 403, Code: "insufficientPermissions"}, kind: publish.Scope},
		"comments disabled":  {fault: sandbox.Fault{Do: sandbox.Status, Status: 403, Code: "commentsDisabled"}, kind: publish.Rejected},
		"video deleted":      {fault: sandbox.Fault{Do: sandbox.Status, Status: 404, Code: "videoNotFound"}, kind: publish.Expired},
	} {
		r, id := commenting(t)
		c.fault.Call = "commentThreads.insert"
		r.fault(c.fault)
		if _, err := r.Comment(t.Context(), r.account, id, "First"); kindOf(err) != c.kind {
			t.Errorf("%s: got %v, want %s", name, err, c.kind)
		}
		r.core.Quiet()
		if _, err := r.FindComment(t.Context(), r.account, id, "First"); (err == nil) != c.found || err != nil && !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("%s: Find: got %v", name, err)
		}
		if n := len(r.youtube.Videos()[0].Comments); n > 1 || (n == 1) != c.found {
			t.Errorf("%s: got %d comments", name, n)
		}
	}
}

func TestComment_RejectsWhatYouTubeRejects(t *testing.T) {
	r, id := commenting(t)
	for _, text := range []string{"", " \n ", strings.Repeat("é", 10_001)} {
		if _, err := r.Comment(t.Context(), r.account, id, text); kindOf(err) != publish.Rejected {
			t.Errorf("%.10q: got %v", text, err)
		}
	}
	if _, err := r.Comment(t.Context(), r.account, id, strings.Repeat("é", 10_000)); err != nil {
		t.Error("the longest comment:", err)
	}
	rules := stand.Generous()
	rules.NoComments = true
	r.youtube.SetRules(rules)
	if _, err := r.Comment(t.Context(), r.account, id, "First"); kindOf(err) != publish.Rejected {
		t.Errorf("comments disabled: got %v", err)
	}
	if lacking := r.LackingForComments(DefaultScopes); len(lacking) != 1 {
		t.Errorf("lacking scopes %v", lacking)
	}
}

// If there are more comments than the adapter reads, the outcome stays unknown.
func TestFindComment_ReadsABoundedNumber(t *testing.T) {
	r, id := commenting(t)
	for range commentPages*commentPage + 1 {
		if _, err := r.Comment(t.Context(), r.account, id, "Thanks"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.FindComment(t.Context(), r.account, id, "First"); !errors.Is(err, publish.ErrCannotTell) {
		t.Errorf("got %v", err)
	}
}
