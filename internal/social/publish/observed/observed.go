// SPDX-License-Identifier: Apache-2.0

// Package observed adds metrics and traces to the calls of a platform adapter. It changes no call and no result.
// Metrics and spans hold only the platform, the operation, the duration, the outcome and the platform's error code.
// They hold no tokens, addresses, captions or account names.
package observed

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/publish"
)

// mostCodes is how many distinct error codes of one platform become label values. Further codes become "other".
const mostCodes = 60

// All wraps every platform of a set.
func All[S ~map[v1beta1.Platform]publish.Platform](set S) S {
	out := S{}
	for name, p := range set {
		out[name] = Platform(p)
	}
	return out
}

// Platform wraps a platform. The result is a publish.Commenter or publish.CreatorReader if p is one.
func Platform(p publish.Platform) publish.Platform {
	w := &platform{Platform: p, name: string(p.Name()), codes: metric.NewWords(mostCodes)}
	c, comments := p.(publish.Commenter)
	r, describes := p.(publish.CreatorReader)
	commenter, reader := commenter{w, c}, creatorReader{w, r}
	// An embedded interface adds its methods, so each combination needs a type of its own.
	switch {
	case comments && describes:
		return struct {
			*platform
			publish.Commenter
			publish.CreatorReader
		}{w, commenter, reader}
	case comments:
		return struct {
			*platform
			publish.Commenter
		}{w, commenter}
	case describes:
		return struct {
			*platform
			publish.CreatorReader
		}{w, reader}
	}
	return w
}

type platform struct {
	publish.Platform
	name  string
	codes *metric.Words
}

// begin starts the metrics and the span of a call. The returned function ends them with the error of the call.
func (p *platform) begin(ctx context.Context, operation string) (context.Context, func(error)) {
	began := time.Now()
	ctx, span := tracing.Start(ctx, "platform "+operation, tracing.Client, attribute.String("reelops.platform", p.name), attribute.String("reelops.operation", operation))
	return ctx, func(err error) {
		outcome, code := verdict(err)
		metric.PlatformCalls.WithLabelValues(p.name, operation, outcome, p.codes.Of(code)).Inc()
		metric.PlatformSeconds.WithLabelValues(p.name, operation).Observe(time.Since(began).Seconds())
		if span.IsRecording() {
			span.SetAttributes(attribute.String("reelops.outcome", outcome), attribute.String("reelops.code", p.codes.Of(code)))
			if outcome != "ok" && outcome != "absent" {
				span.SetStatus(codes.Error, outcome)
			}
		}
		span.End()
	}
}

// verdict returns the outcome of a call and the platform's error code as label values. An unclassified error counts as
// transient.
func verdict(err error) (outcome, code string) {
	var e *publish.Error
	switch {
	case err == nil:
		return "ok", ""
	case errors.Is(err, publish.ErrNotFound):
		return "absent", ""
	case errors.Is(err, publish.ErrCannotTell):
		return "cannot_tell", ""
	case errors.As(err, &e):
		return string(e.Kind), e.Code
	}
	return string(publish.Transient), ""
}

func (p *platform) Exchange(ctx context.Context, code string, a publish.Authorization) (g *publish.Grant, err error) {
	ctx, done := p.begin(ctx, "exchange")
	g, err = p.Platform.Exchange(ctx, code, a)
	done(err)
	return g, err
}

func (p *platform) Refresh(ctx context.Context, t publish.Tokens) (publish.Tokens, error) {
	ctx, done := p.begin(ctx, "refresh")
	t, err := p.Platform.Refresh(ctx, t)
	done(err)
	return t, err
}

func (p *platform) Identify(ctx context.Context, a publish.Account) (*publish.Identity, error) {
	ctx, done := p.begin(ctx, "identify")
	i, err := p.Platform.Identify(ctx, a)
	done(err)
	return i, err
}

func (p *platform) Headroom(ctx context.Context, a publish.Account) (*publish.Headroom, error) {
	ctx, done := p.begin(ctx, "headroom")
	h, err := p.Platform.Headroom(ctx, a)
	done(err)
	return h, err
}

func (p *platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	ctx, done := p.begin(ctx, "prepare")
	s, err := p.Platform.Prepare(ctx, a, d, note, save)
	done(err)
	return s, err
}

func (p *platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, note []byte) (*publish.Receipt, error) {
	ctx, done := p.begin(ctx, "commit")
	r, err := p.Platform.Commit(ctx, a, d, note)
	done(err)
	return r, err
}

func (p *platform) Find(ctx context.Context, a publish.Account, d publish.Draft, note []byte, at time.Time) (*publish.Receipt, error) {
	ctx, done := p.begin(ctx, "find")
	r, err := p.Platform.Find(ctx, a, d, note, at)
	done(err)
	return r, err
}

func (p *platform) Look(ctx context.Context, a publish.Account, d publish.Draft, handle string) (*publish.View, error) {
	ctx, done := p.begin(ctx, "look")
	v, err := p.Platform.Look(ctx, a, d, handle)
	done(err)
	return v, err
}

// commenter observes the calls of a publish.Commenter.
type commenter struct {
	p *platform
	publish.Commenter
}

func (c commenter) Comment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	ctx, done := c.p.begin(ctx, "comment")
	id, err := c.Commenter.Comment(ctx, a, postID, text)
	done(err)
	return id, err
}

func (c commenter) FindComment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	ctx, done := c.p.begin(ctx, "find_comment")
	id, err := c.Commenter.FindComment(ctx, a, postID, text)
	done(err)
	return id, err
}

// creatorReader observes the calls of a publish.CreatorReader.
type creatorReader struct {
	p *platform
	publish.CreatorReader
}

func (r creatorReader) Creator(ctx context.Context, a publish.Account) (*publish.Creator, error) {
	ctx, done := r.p.begin(ctx, "creator")
	c, err := r.CreatorReader.Creator(ctx, a)
	done(err)
	return c, err
}
