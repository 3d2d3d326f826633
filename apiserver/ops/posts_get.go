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

var onePostSpec = operation.Spec{
	Name: "get_post", Method: http.MethodGet, Path: "/api/v1/posts/{id}", Tag: "Posting",
	Summary: "Get a post",
	Description: "Returns a post in the form of `GET /posts`, with its content. " +
		"`media` has the files that are published: the short may have a newer `revision`.",
	Scope: v1beta1.ScopePostsRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleOnePost(),
}

func (s *Service) onePost(ctx context.Context, c *operation.Call, in byPostID) (*operation.Reply[view.Post], error) {
	p, err := s.Reader.WholePost(ctx, c.Namespace(), c.Brand.Name, int64(in.ID))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	return s.wholePost(ctx, c, p)
}
