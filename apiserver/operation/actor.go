// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"net/http"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/limit"
)

// signed puts into the context for whom the call is about to change something.
func (h *Handler) signed(ctx context.Context, c *call) context.Context {
	a := audit.Actor{
		Kind: audit.ByKey, KeyID: c.caller.Key.Labels[v1beta1.LabelID], KeyName: c.caller.Key.Spec.DisplayName, Account: c.caller.Namespace(),
		Address: limit.ClientAddress(c.r, h.TrustedProxies), RequestID: c.id, Operation: c.op.Name, Door: c.door,
	}
	if c.caller.Brand != nil {
		a.Brand = c.caller.Brand.Name
	}
	return audit.With(ctx, a)
}

// tellFound writes down that an earlier run of the request had made what it asks for: that one may have ended before it could.
func (h *Handler) tellFound(ctx context.Context, c *call) {
	if _, name, ok := c.once.Resumed(); ok {
		h.Audit.Found(h.signed(ctx, c), c.caller.Namespace(), name)
	}
}

// RequestID is what a request is named by: its own X-Request-Id where that is safe to echo, else a new one.
func RequestID(r *http.Request) string { return requestID(r) }
