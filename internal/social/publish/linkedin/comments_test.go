// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

const commentText = "First (of all) \u2728"

// A comment is written once. A page finds a comment whose response was lost; a member cannot.
func TestComment(t *testing.T) {
	for _, member := range []bool{true, false} {
		r := newRig(t)
		a := map[bool]publish.Account{true: r.maya, false: r.acme}[member]
		d := r.photos(1)
		receipt, err := r.Commit(t.Context(), a, d, r.prepared(a, d))
		if err != nil {
			t.Fatal(err)
		}
		post := receipt.View.PostID
		if _, err := r.FindComment(t.Context(), a, post, commentText); !errors.Is(err, map[bool]error{true: publish.ErrCannotTell, false: publish.ErrNotFound}[member]) {
			t.Errorf("member %v: before the comment: got %v", member, err)
		}
		r.fault(sandbox.Fault{Call: "comments.create", Do: sandbox.Status, Status: 404, Code: "ACTIVITY_UNAVAILABLE"})
		_, err = r.Comment(t.Context(), a, post, commentText)
		kind(t, err, publish.Transient)
		r.fault(sandbox.Fault{Call: "comments.create", Do: sandbox.Drop, When: sandbox.After})
		_, err = r.Comment(t.Context(), a, post, commentText)
		kind(t, err, publish.Ambiguous)
		written := r.one().Comments
		if len(written) != 1 || written[0].Text != commentText {
			t.Fatalf("member %v: got comments %+v", member, written)
		}
		id, err := r.FindComment(t.Context(), a, post, commentText)
		if member != errors.Is(err, publish.ErrCannotTell) || !member && (err != nil || id != written[0].ID) {
			t.Errorf("member %v: found %q, %v", member, id, err)
		}
		if id, err = r.Comment(t.Context(), a, post, "Second"); err != nil || id != r.one().Comments[1].ID {
			t.Errorf("member %v: got %q, %v", member, id, err)
		}
	}
}

func TestComment_Refused(t *testing.T) {
	r := newRig(t)
	d := r.photos(1)
	receipt, err := r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{" ", strings.Repeat("x", 1251)} {
		_, err := r.Comment(t.Context(), r.acme, receipt.View.PostID, text)
		kind(t, err, publish.Rejected)
	}
	if n := r.calls("comments.create"); n != 0 {
		t.Errorf("got %d calls", n)
	}
	if got := r.LackingForComments([]string{"openid"}); len(got) != 1 || r.LackingForComments(r.acme.Scopes) != nil {
		t.Errorf("lacking scopes %v", got)
	}
}
