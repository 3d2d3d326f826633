// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"
	"net/http"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
)

// inCall finds the call in the context of its handler.
type inCall struct{}

type handling struct {
	h *Handler
	c *call
}

// Reserved is what an accepted call makes its object under.
type Reserved struct {
	ID   int64
	Name string
	// Resumed says that an earlier run of the same request may have made the object already, and charged for it.
	Resumed bool
}

// Accept is the last check before a handler makes what was asked for. It spends the operation's specific ceiling and
// reserves the object's id and name: a request with an idempotency key gets what its first run reserved, so that doing it
// again makes the same object; without a key reserve is just called. When the name turns out to be taken by somebody else's object, Accept
// is called again for another and spends nothing more. A call that fails after Accept gives back what it spent.
func Accept(ctx context.Context, reserve func(context.Context) (id int64, name string, err error)) (Reserved, error) {
	k, _ := ctx.Value(inCall{}).(*handling)
	if k == nil {
		return Reserved{}, errors.New("accepting outside a call")
	}
	h, c := k.h, k.c
	if c.op.Bucket != limit.Global && c.spent == (limit.Ticket{}) {
		if err := h.spend(ctx, c, c.op.Bucket); err != nil {
			return Reserved{}, err
		}
	}
	var out Reserved
	var err error
	out.ID, out.Name, out.Resumed, err = c.once.Reserve(ctx, reserve)
	return out, err
}

// Resumed tells what an earlier run of this very request reserved before it broke off. The object may or may not be there;
// when it is, the request was accepted then, and neither its state nor any limit may be held against it again.
func Resumed(ctx context.Context) (Reserved, bool) {
	k, _ := ctx.Value(inCall{}).(*handling)
	if k == nil {
		return Reserved{}, false
	}
	id, name, ok := k.c.once.Resumed()
	return Reserved{ID: id, Name: name, Resumed: ok}, ok
}

// spend counts the call against a ceiling, or says that it is reached.
func (h *Handler) spend(ctx context.Context, c *call, b limit.Bucket) error {
	state, ticket := h.Limits.Take(ctx, b, h.subject(c, b))
	c.ceiling = &state
	if state.Refused {
		return limit.Refusal(state)
	}
	if c.op != nil && b == c.op.Bucket && b != limit.Global {
		c.spent = ticket
	}
	return nil
}

// subject is who a ceiling counts: the key, or the address of one who has none.
func (h *Handler) subject(c *call, b limit.Bucket) string {
	if b == limit.Unauthenticated {
		return limit.ClientAddress(c.r, h.TrustedProxies)
	}
	return string(c.caller.Key.UID)
}

func (h *Handler) spendGlobal(ctx context.Context, c *call) error {
	return h.spend(ctx, c, limit.Global)
}

// ceilingHeaders tell of the ceiling that refused, else of the most specific one the operation counts against.
func (h *Handler) ceilingHeaders(ctx context.Context, c *call) {
	b := limit.Unauthenticated
	if c.caller != nil {
		b = limit.Global
		if c.op != nil {
			b = c.op.Bucket
		}
	}
	if c.ceiling == nil || (!c.ceiling.Refused && c.ceiling.Bucket != b) {
		state := h.Limits.Peek(ctx, b, h.subject(c, b))
		c.ceiling = &state
	}
	c.ceiling.SetHeaders(c.w.Header())
}

// remember looks up what an idempotency key stands for: an answer, or nothing yet, and then the key is this call's.
func (h *Handler) remember(ctx context.Context, c *call) error {
	if !c.op.Idempotent {
		return nil
	}
	key, given, refused := idempotency.CheckKey(c.r.Header.Values("Idempotency-Key"))
	if refused != nil {
		return refused
	}
	if !given {
		return nil
	}
	if err := c.read(); err != nil {
		return err
	}
	scope := idempotency.Scope{
		Namespace: c.caller.Namespace(), KeyUID: string(v1beta1.Origin(c.caller.Key)), Method: c.r.Method, Path: c.r.URL.EscapedPath(), Key: key,
	}
	var brand int64
	if c.caller.Brand != nil {
		scope.Brand, brand = c.caller.Brand.Name, read.ID(c.caller.Brand)
	}
	var err error
	c.once, c.remembered, err = h.Idempotency.Begin(ctx, scope, idempotency.Fingerprint(brand, c.raw))
	return err
}

// giveBack undoes what a call that failed had spent. When nobody knows what became of it the idempotency key stays taken:
// sending the request again finds what it made.
func (h *Handler) giveBack(ctx context.Context, c *call, err error) {
	if c.spent != (limit.Ticket{}) {
		c.spent.Return(ctx)
		c.spent, c.ceiling = limit.Ticket{}, nil
	}
	var p *problem.Problem
	c.once.Abort(ctx, errors.As(err, &p) && p.Status < http.StatusInternalServerError)
}
