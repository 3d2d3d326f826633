// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var accountSpec = operation.Spec{
	Name: "get_account", Method: http.MethodGet, Path: "/api/v1/account", Tag: "Discovery",
	Summary:     "Get the account of the API key",
	Description: "Returns the plan and its remaining quota, the account's brands, and the API key of the request.",
	Scope:       v1beta1.ScopeBrandRead, Bucket: operation.Global, Errors: []catalog.Code{catalog.NotFound}, DataExample: exampleAccount,
}

func (s *Service) account(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[view.Account], error) {
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil).Saying("The account of this API key was deleted.")
	}
	if err != nil {
		return nil, err
	}
	brands, err := s.Reader.Brands(ctx, c.Namespace())
	if err != nil {
		return nil, err
	}
	automations, err := s.Reader.Automations(ctx, c.Namespace(), "")
	if err != nil {
		return nil, err
	}
	key := view.Key{
		ID: read.ID(c.Key), Name: c.Key.Spec.DisplayName, Scopes: c.Scopes,
		ExpiresAt: view.ExpiryOf(c.Key), RequestCount: c.RequestCount,
	}
	if c.LastUsedAt != nil {
		key.LastUsedAt = &view.Time{Time: *c.LastUsedAt}
	}
	refs := make([]view.BrandRef, 0, len(brands))
	for i := range brands {
		if id := read.ID(&brands[i]); id != 0 {
			refs = append(refs, view.BrandRef{ID: id, Name: brands[i].Title()})
			if brands[i].Name == c.Key.Spec.BrandRef.Name {
				key.BrandID = id
			}
		}
	}
	return &operation.Reply[view.Account]{Data: *view.AccountOf(read.ID(account), account, refs, len(automations), key, s.Clock.Now())}, nil
}
