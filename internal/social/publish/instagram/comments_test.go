// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

// A comment is written once, and found after its response was lost.
func TestComment(t *testing.T) {
	w := newWorld(t)
	w.open(instagram.AllScopes)
	a, g := w.connect("maya")
	if lacking := w.p.LackingForComments(g.Tokens.Scopes); len(lacking) > 0 {
		t.Fatalf("lacking scopes %v", lacking)
	}
	d := w.reel("Bread")
	r, err := w.p.Commit(t.Context(), a, d, w.prepare(a, d))
	if err != nil {
		t.Fatal(err)
	}
	post := r.View.PostID
	const text = "First\nof all"
	if _, err := w.p.FindComment(t.Context(), a, post, text); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("before the comment: got %v", err)
	}
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallComment, Do: sandbox.Status, Status: 400, Code: "100/33"})
	if _, err := w.p.Comment(t.Context(), a, post, text); publish.KindOf(err) != publish.Transient {
		t.Errorf("the post is not visible yet: got %v", err)
	}
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallComment, Do: sandbox.Drop, When: sandbox.After})
	if _, err := w.p.Comment(t.Context(), a, post, text); publish.KindOf(err) != publish.Ambiguous {
		t.Errorf("with a lost response: got %v", err)
	}
	written := w.core.Landed("instagram")[0].Comments
	if len(written) != 1 || written[0].Text != text {
		t.Fatalf("got comments %+v", written)
	}
	if id, err := w.p.FindComment(t.Context(), a, post, text); err != nil || id != written[0].ID {
		t.Errorf("found %q, %v", id, err)
	}
	for _, bad := range []string{" ", strings.Repeat("x", 2201)} {
		if _, err := w.p.Comment(t.Context(), a, post, bad); publish.KindOf(err) != publish.Rejected {
			t.Errorf("%d characters: got %v", len(bad), err)
		}
	}
}

// The scope for comments is requested only where it is configured.
func TestComment_WithoutScope(t *testing.T) {
	w := newWorld(t)
	a, g := w.connect("maya")
	if lacking := w.p.LackingForComments(g.Tokens.Scopes); len(lacking) != 1 || lacking[0] != instagram.ScopeComments {
		t.Errorf("lacking scopes %v", lacking)
	}
	d := w.reel("Bread")
	r, err := w.p.Commit(t.Context(), a, d, w.prepare(a, d))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.p.Comment(t.Context(), a, r.View.PostID, "First"); publish.KindOf(err) != publish.Scope {
		t.Errorf("got %v", err)
	}
	if _, err := instagram.New(instagram.Config{Scopes: []string{instagram.ScopeBasic}}); err == nil {
		t.Error("scopes without publishing are accepted")
	}
}
