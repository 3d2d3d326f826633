// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"errors"

	"github.com/reelops/reelops/apiserver/limit"
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
// again makes the same object. A call that fails after Accept gives back what it spent.
func Accept(ctx context.Context, reserve func(context.Context) (id int64, name string, err error)) (Reserved, error) {
	k, _ := ctx.Value(inCall{}).(*handling)
	if k == nil {
		return Reserved{}, errors.New("accepting outside a call")
	}
	h, c := k.h, k.c
	if c.op.Bucket != limit.Global {
		if err := h.spend(ctx, c, c.op.Bucket); err != nil {
			return Reserved{}, err
		}
	}
	var out Reserved
	var err error
	out.ID, out.Name, err = reserve(ctx)
	return out, err
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

// giveBack undoes what a call that failed had spent.
func (h *Handler) giveBack(ctx context.Context, c *call) {
	if c.spent == (limit.Ticket{}) {
		return
	}
	c.spent.Return(ctx)
	c.spent, c.ceiling = limit.Ticket{}, nil
}
