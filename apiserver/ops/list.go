// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textsearch"
)

var listShortsSpec = operation.Spec{
	Name: "list_shorts", Method: http.MethodGet, Path: "/api/v1/shorts", Tag: "Content",
	Summary: "List shorts",
	Description: "The newest shorts are first, unless `order` is given. Filters may be combined. " +
		"With `query`, a short is listed if its title, caption and slides together have every word of the query. " +
		"Case, accents and word endings do not matter, and the last word may be a prefix. " +
		"The texts of a hook-and-demo video are its hook and the texts over its clips. " +
		"The URLs of images and videos need no key and are valid for 7 days; each read returns new ones.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleList,
}

type listShortsInput struct {
	operation.Paging
	ShortType     typeFilter   `query:"short_type" doc:"Shorts of one type, case-insensitive; all, the default, for both."`
	Status        statusFilter `query:"status" doc:"Shorts with one status. completed is an alias of success."`
	CreatedAfter  *time.Time   `query:"created_after" doc:"Created at this time or later. RFC 3339 with an offset."`
	CreatedBefore *time.Time   `query:"created_before" doc:"Created at this time or earlier. RFC 3339 with an offset."`
	Query         searchText   `query:"query" doc:"Words in title, caption or slides, all of them."`
	Order         shortOrder   `query:"order" default:"created_desc" doc:"relevance begins with the best match of query."`
}

type shortOrder string

// Schema lists the orders.
func (shortOrder) Schema(huma.Registry) *huma.Schema {
	return words(index.CreatedDesc, index.CreatedAsc, index.Relevance)
}

// allTypes disables the filter by type. completed is the former name of the status success.
const (
	allTypes  = "all"
	completed = "completed"
)

type typeFilter string

// Schema lists the types.
func (typeFilter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Enum: []any{allTypes, catalog.ShortSlideshow, catalog.ShortUGC},
		Extensions: map[string]any{operation.AnyCase: true},
	}
}

type statusFilter string

// Schema lists the statuses.
func (statusFilter) Schema(r huma.Registry) *huma.Schema {
	s := view.ShortStatus("").Schema(r)
	s.Enum = append(s.Enum, completed)
	return s
}

func (in *listShortsInput) filter() index.Filter {
	f := index.Filter{Type: string(in.ShortType), Status: string(in.Status), After: in.CreatedAfter, Before: in.CreatedBefore, Order: index.Order(in.Order)}
	if text := strings.TrimSpace(string(in.Query)); text != "" {
		query := textsearch.Parse(text)
		f.Query = &query
	}
	if f.Type == allTypes {
		f.Type = ""
	}
	if f.Status == completed {
		f.Status = view.StatusSuccess
	}
	return f
}

func (s *Service) listShorts(ctx context.Context, c *operation.Call, in listShortsInput) (*operation.Reply[[]view.ShortSummary], error) {
	reply := &operation.Reply[[]view.ShortSummary]{Data: []view.ShortSummary{}}
	page, err := s.Reader.Shorts(ctx, c.Namespace(), c.Brand.Name, in.filter(), func(total int) (from, to int) {
		from, to, reply.Meta.Pagination = in.Of(total)
		return from, to
	})
	if errors.Is(err, read.ErrSearchTooWide) {
		return nil, problem.New(catalog.BadRequest, problem.Details{"parameter": "query"}).
			Saying("The search would read too many archived shorts: set created_after or created_before.")
	}
	if err != nil {
		return nil, err
	}
	sign := s.signer(ctx, c)
	reply.Data = slices.Grow(reply.Data, len(page))
	for i := range page {
		short := s.seen(c, page[i], sign)
		if err := s.countPosts(ctx, c, &short); err != nil {
			return nil, err
		}
		summary, err := short.Summary()
		if err != nil {
			return nil, err
		}
		reply.Data = append(reply.Data, *summary)
	}
	return reply, nil
}
