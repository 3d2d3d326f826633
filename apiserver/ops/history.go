// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var historySpec = operation.Spec{
	Name: "list_short_history", Method: http.MethodGet, Path: "/api/v1/shorts/{id}/history", Tag: "Content",
	Summary: "List the history of a short",
	Description: "The newest events are first: " +
		"creation and changes of the short, generation, edits, renders, posts, and attempts to publish. " +
		"The history is derived from the stored records. " +
		"They keep the last change by each author and the last work of each kind. " +
		"Earlier ones, the key of a change and the old values are in the audit log of the installation only. " +
		"Events of deleted renders and posts are not listed.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleHistory,
}

type historyInput struct {
	operation.Paging
	ID operation.ID `path:"id" doc:"The short id."`
}

func (s *Service) history(
	ctx context.Context, c *operation.Call, in historyInput,
) (*operation.Reply[[]view.HistoryEntry], error) {
	whole, err := s.Reader.WholeShort(ctx, c.Namespace(), c.Brand.Name, int64(in.ID))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	of := index.PostFilter{Short: int64(in.ID)}
	page, err := s.Reader.Published(ctx, c.Namespace(), c.Brand.Name, of, func(total int) (int, int) { return 0, total })
	if err != nil {
		return nil, err
	}
	posts := make([]view.IdentifiedPost, len(page))
	for i, p := range page {
		posts[i] = view.IdentifiedPost{ID: read.ID(p.Object), Post: p.Object}
	}
	short := s.seen(c, whole, nil) // the history has no URLs
	all := short.History(posts)
	reply := &operation.Reply[[]view.HistoryEntry]{}
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(all))
	reply.Data = append([]view.HistoryEntry{}, all[from:to]...)
	return reply, nil
}

var exampleHistory = func() []view.HistoryEntry {
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: exampleTime.Add(time.Duration(seconds) * time.Second)}
	}
	show := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0)},
		Status: v1beta1.SlideshowStatus{
			Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: at(1), FinishedAt: at(14)},
		},
	}
	post := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(60)}}
	return (&view.Short{Show: show}).History([]view.IdentifiedPost{{ID: 512, Post: post}})
}()
