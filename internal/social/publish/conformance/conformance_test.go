// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	standinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
	standtiktok "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

// spoiled is an adapter with one defect, which the types below add.
type spoiled struct{ publish.Platform }

// surely treats a lost response as a failure.
type surely struct{ spoiled }

func (s surely) Commit(ctx context.Context, a publish.Account, d publish.Draft, note []byte) (*publish.Receipt, error) {
	r, err := s.Platform.Commit(ctx, a, d, note)
	var e *publish.Error
	if errors.As(err, &e) && e.Kind == publish.Ambiguous {
		return r, &publish.Error{Kind: publish.Expired, Safe: e.Safe}
	}
	return r, err
}

// blind never finds a published post, and prepares every attempt without the note of an earlier one.
type blind struct{ spoiled }

func (blind) Find(context.Context, publish.Account, publish.Draft, []byte, time.Time) (*publish.Receipt, error) {
	return nil, publish.ErrNotFound
}

func (b blind) Prepare(ctx context.Context, a publish.Account, d publish.Draft, _ []byte, save func([]byte) error) (publish.Step, error) {
	return b.Platform.Prepare(ctx, a, d, nil, save)
}

// timid never determines the outcome of an attempt.
type timid struct{ spoiled }

func (timid) Find(context.Context, publish.Account, publish.Draft, []byte, time.Time) (*publish.Receipt, error) {
	return nil, publish.ErrCannotTell
}

// careless publishes a different caption.
type careless struct{ spoiled }

func (c careless) Prepare(ctx context.Context, a publish.Account, d publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	d.Caption = strings.ToUpper(d.Caption)
	return c.Platform.Prepare(ctx, a, d, note, save)
}

// talkative shows a token in error messages.
type talkative struct{ spoiled }

func (s talkative) Prepare(ctx context.Context, a publish.Account, d publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	step, err := s.Platform.Prepare(ctx, a, d, note, save)
	var e *publish.Error
	if errors.As(err, &e) {
		e.Safe += " The token was " + a.AccessToken
	}
	return step, err
}

// untold returns an error without a kind.
type untold struct{ spoiled }

func (u untold) Commit(ctx context.Context, a publish.Account, d publish.Draft, note []byte) (*publish.Receipt, error) {
	r, err := u.Platform.Commit(ctx, a, d, note)
	if err != nil {
		return nil, errors.New("it did not work")
	}
	return r, nil
}

// stubborn sends a comment again after its response was lost.
type stubborn struct{ spoiled }

func (s stubborn) commenter() publish.Commenter { return s.Platform.(publish.Commenter) }

func (s stubborn) Comment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	id, err := s.commenter().Comment(ctx, a, postID, text)
	if publish.KindOf(err) == publish.Ambiguous {
		return s.commenter().Comment(ctx, a, postID, text)
	}
	return id, err
}

func (s stubborn) FindComment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	return s.commenter().FindComment(ctx, a, postID, text)
}

func (s stubborn) LackingForComments(granted []string) []string {
	return s.commenter().LackingForComments(granted)
}

// fussy fails a post whose cover was rejected.
type fussy struct{ stubborn }

func (f fussy) Prepare(ctx context.Context, a publish.Account, d publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	step, err := f.Platform.Prepare(ctx, a, d, note, save)
	if strings.Contains(string(step.Note), "noCover") {
		return step, &publish.Error{Kind: publish.Rejected, Safe: "The cover was refused."}
	}
	return step, err
}

// deaf ignores the author's settings.
type deaf struct{ stubborn }

func (s deaf) Prepare(ctx context.Context, a publish.Account, d publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	d.Settings = v1beta1.PostSettings{}
	return s.Platform.Prepare(ctx, a, d, note, save)
}

// choosing are defective adapters of a platform with covers and comments, with the part of the suite that must detect
// each defect.
var choosing = map[string]struct {
	wrap       func(publish.Platform) publish.Platform
	says, part string
}{
	"stubborn": {func(p publish.Platform) publish.Platform { return stubborn{spoiled{p}} }, "the comment was written 2 times", "comment"},
	"fussy":    {func(p publish.Platform) publish.Platform { return fussy{stubborn{spoiled{p}}} }, "The cover was refused", "cover"},
	"deaf":     {func(p publish.Platform) publish.Platform { return deaf{stubborn{spoiled{p}}} }, "the post shows", "settings"},
}

// TestChoosing runs the suite on the adapter named in the environment. The suite must fail.
func TestChoosing(t *testing.T) {
	s, ok := choosing[os.Getenv("SPOILED")]
	if !ok {
		t.Skip("run by TestSuite_DetectsDefectiveChoices")
	}
	conformance.Run(t, conformance.Case{
		Platform: "instagram",
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return standinstagram.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := instagram.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: instagram.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			p, err := instagram.New(c.At(o.Base))
			if err != nil {
				return nil, err
			}
			return s.wrap(p), nil
		},
		Settings: []conformance.Setting{{
			Name: "not in the feed", Settings: v1beta1.PostSettings{Instagram: &v1beta1.InstagramSettings{ShareToFeed: ptr.To(false)}},
			Reached: func(_ sandbox.Platform, l sandbox.Landing) (string, bool) { return "the feed", l.OffFeed },
		}},
	})
}

func TestSuite_DetectsDefectiveChoices(t *testing.T) {
	for name, s := range choosing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestChoosing$/^choices$/^"+s.part+"$", "-test.failfast")
			cmd.Env = append(os.Environ(), "SPOILED="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), s.says) {
				t.Errorf("the suite ended with %v and did not report %q:\n%s", err, s.says, out)
			}
		})
	}
}

var spoilt = map[string]struct {
	wrap func(publish.Platform) publish.Platform
	says string
}{
	"surely":    {func(p publish.Platform) publish.Platform { return surely{spoiled{p}} }, "published 2 times"},
	"blind":     {func(p publish.Platform) publish.Platform { return blind{spoiled{p}} }, "published 2 times"},
	"timid":     {func(p publish.Platform) publish.Platform { return timid{spoiled{p}} }, "returned ErrCannotTell, which is not allowed"},
	"careless":  {func(p publish.Platform) publish.Platform { return careless{spoiled{p}} }, "the published post differs"},
	"talkative": {func(p publish.Platform) publish.Platform { return talkative{spoiled{p}} }, "contains a secret"},
	"untold":    {func(p publish.Platform) publish.Platform { return untold{spoiled{p}} }, "failed with an unclassified error"},
}

// TestSpoiled runs the suite on the adapter named in the environment. The suite must fail.
func TestSpoiled(t *testing.T) {
	s, ok := spoilt[os.Getenv("SPOILED")]
	if !ok {
		t.Skip("run by TestSuite_DetectsDefectiveAdapters")
	}
	conformance.Run(t, conformance.Case{
		Platform: "tiktok",
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return standtiktok.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := tiktok.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: tiktok.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			p, err := tiktok.New(c.At(o.Base))
			if err != nil {
				return nil, err
			}
			return s.wrap(p), nil
		},
		Expect: func(d publish.Draft) (title, caption string) { return "", d.Caption },
	})
}

func TestSuite_DetectsDefectiveAdapters(t *testing.T) {
	for name, s := range spoilt {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSpoiled$/^maya$/^direct$/^video$", "-test.failfast")
			cmd.Env = append(os.Environ(), "SPOILED="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), s.says) {
				t.Errorf("the suite ended with %v and did not report %q:\n%s", err, s.says, out)
			}
		})
	}
}
