// SPDX-License-Identifier: Apache-2.0

package observed

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/publish"
)

// scripted is a platform whose commits return the configured results.
type scripted struct {
	publish.Platform
	err error
}

func (s *scripted) Name() v1beta1.Platform { return "scripted" }

func (s *scripted) Commit(context.Context, publish.Account, publish.Draft, []byte) (*publish.Receipt, error) {
	return &publish.Receipt{Handle: "h"}, s.err
}

func TestPlatform_CountsCallsByResult(t *testing.T) {
	for _, c := range []struct {
		err           error
		outcome, code string
	}{
		{nil, "ok", ""},
		{publish.ErrNotFound, "absent", ""},
		{publish.ErrCannotTell, "cannot_tell", ""},
		{&publish.Error{Kind: publish.RateLimited, Code: "spam_risk_too_many_posts"}, "rate_limited", "spam_risk_too_many_posts"},
		{&publish.Error{Kind: publish.Rejected, Code: "The account of Maya is private"}, "rejected", "other"},
		{errors.New("reset by peer"), "transient", ""},
	} {
		counter := metric.PlatformCalls.WithLabelValues("scripted", "commit", c.outcome, c.code)
		before := testutil.ToFloat64(counter)
		p := All(map[v1beta1.Platform]publish.Platform{"scripted": &scripted{err: c.err}})["scripted"]
		r, err := p.Commit(t.Context(), publish.Account{}, publish.Draft{}, nil)
		if r == nil || r.Handle != "h" || !errors.Is(err, c.err) {
			t.Errorf("the result is changed: %v %v", r, err)
		}
		if got := testutil.ToFloat64(counter) - before; got != 1 {
			t.Errorf("%v is counted %v times as %s %s", c.err, got, c.outcome, c.code)
		}
	}
}

func TestPlatform_SpansContainNoSecrets(t *testing.T) {
	out := tracetest.NewInMemoryExporter()
	stop := tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(out)))
	defer stop(context.Background())
	p := Platform(&scripted{err: &publish.Error{Kind: publish.Ambiguous, Code: "reset", Safe: "hunter2", Err: errors.New("hunter2")}})
	_, _ = p.Commit(t.Context(), publish.Account{ID: "hunter2", AccessToken: "hunter2"}, publish.Draft{Caption: "hunter2"}, []byte("hunter2"))
	spans := out.GetSpans()
	if len(spans) != 1 || spans[0].Name != "platform commit" || spans[0].Status.Description != "ambiguous" {
		t.Fatalf("got %+v", spans)
	}
	for _, a := range spans[0].Attributes {
		if strings.Contains(a.Value.String(), "hunter2") {
			t.Errorf("%s contains a secret", a.Key)
		}
	}
	if len(spans[0].Events) != 0 {
		t.Errorf("got %+v", spans[0].Events)
	}
}

// optional implements the optional interfaces of a platform.
type optional struct{ err error }

func (o optional) Comment(context.Context, publish.Account, string, string) (string, error) {
	return "c", o.err
}

func (o optional) FindComment(context.Context, publish.Account, string, string) (string, error) {
	return "c", o.err
}

func (o optional) LackingForComments([]string) []string { return []string{"comments"} }

func (o optional) Creator(context.Context, publish.Account) (*publish.Creator, error) {
	return &publish.Creator{}, o.err
}

// TestPlatform_KeepsOptionalInterfaces checks that the wrapper implements the same optional interfaces as the platform,
// and no others, for all their combinations.
func TestPlatform_KeepsOptionalInterfaces(t *testing.T) {
	base, o := &scripted{}, optional{}
	for name, p := range map[string]publish.Platform{
		"none": base,
		"comments": struct {
			publish.Platform
			publish.Commenter
		}{base, o},
		"creator": struct {
			publish.Platform
			publish.CreatorReader
		}{base, o},
		"comments and creator": struct {
			publish.Platform
			publish.Commenter
			publish.CreatorReader
		}{base, o, o},
	} {
		t.Run(name, func(t *testing.T) {
			w := Platform(p)
			_, comments := p.(publish.Commenter)
			_, describes := p.(publish.CreatorReader)
			if _, ok := w.(publish.Commenter); ok != comments {
				t.Errorf("Commenter: %t, want %t", ok, comments)
			}
			if _, ok := w.(publish.CreatorReader); ok != describes {
				t.Errorf("CreatorReader: %t, want %t", ok, describes)
			}
		})
	}
}

func TestPlatform_CountsOptionalCalls(t *testing.T) {
	w := Platform(struct {
		publish.Platform
		publish.Commenter
		publish.CreatorReader
	}{&scripted{}, optional{err: publish.ErrCannotTell}, optional{err: publish.ErrCannotTell}})
	for operation, call := range map[string]func() error{
		"comment": func() error {
			_, err := w.(publish.Commenter).Comment(t.Context(), publish.Account{}, "p", "text")
			return err
		},
		"find_comment": func() error {
			_, err := w.(publish.Commenter).FindComment(t.Context(), publish.Account{}, "p", "text")
			return err
		},
		"creator": func() error {
			_, err := w.(publish.CreatorReader).Creator(t.Context(), publish.Account{})
			return err
		},
	} {
		counter := metric.PlatformCalls.WithLabelValues("scripted", operation, "cannot_tell", "")
		before := testutil.ToFloat64(counter)
		if err := call(); !errors.Is(err, publish.ErrCannotTell) {
			t.Errorf("%s: got %v", operation, err)
		}
		if got := testutil.ToFloat64(counter) - before; got != 1 {
			t.Errorf("%s is counted %v times", operation, got)
		}
	}
	if lacking := w.(publish.Commenter).LackingForComments(nil); len(lacking) != 1 {
		t.Errorf("lacking scopes %v", lacking)
	}
}
