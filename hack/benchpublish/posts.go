// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// perBatch is the maximum number of accounts of one batch.
const perBatch = 50

// order is one post to create.
type order struct {
	to target
	at time.Time
}

// spread returns posts that are due at a rate, on the accounts in turn.
func (s *stage) spread(n, rate int, from time.Time) []order {
	out := make([]order, n)
	for i := range out {
		out[i] = order{s.names[i%len(s.names)], from.Add(time.Duration(i) * time.Second / time.Duration(rate))}
	}
	return out
}

// create creates batches and their posts, and prints how long that took.
func (s *stage) create(ctx context.Context, orders []order) error {
	began := time.Now()
	if err := s.make(ctx, orders); err != nil {
		return err
	}
	logf("created in %s", time.Since(began).Round(time.Second/10))
	return nil
}

// make creates batches and their posts, as the front end does. Posts of one batch are due in the same second.
func (s *stage) make(ctx context.Context, orders []order) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(16)
	for len(orders) > 0 {
		second := orders[0].at.Truncate(time.Second)
		n := 0
		seen := map[string]bool{}
		for n < len(orders) && n < perBatch && orders[n].at.Truncate(time.Second).Equal(second) && !seen[orders[n].to.name] {
			seen[orders[n].to.name] = true
			n++
		}
		these, first := orders[:n], s.nextID+1
		s.nextID += int64(n)
		for id := first; id <= s.nextID; id++ {
			s.captions[caption(id)] = true
		}
		orders = orders[n:]
		work.Go(func() error { return s.batch(ctx, these, first, second) })
	}
	return work.Wait()
}

func (s *stage) batch(ctx context.Context, these []order, first int64, second time.Time) error {
	at := metav1.NewTime(second)
	b := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: posting.BatchName(first), Finalizers: []string{v1beta1.FinalizerPostBatch},
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(first, 10), v1beta1.LabelBrand: brand},
		},
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, ShortRef: v1beta1.ShortRef{ID: 1}, ScheduledAt: &at, PostingMode: catalog.PostDirect,
		},
	}
	for i, o := range these {
		b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: o.to.name, PostID: first + int64(i)})
	}
	if err := s.kube.Create(ctx, b); err != nil {
		return err
	}
	for i, o := range these {
		id := first + int64(i)
		p := &v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: tenant, Name: posting.PostName(b, o.to.platform, o.to.name, id), Finalizers: []string{v1beta1.FinalizerPost},
				OwnerReferences: []metav1.OwnerReference{posting.OwnerOf(b)},
				Labels:          map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand, v1beta1.LabelShort: "1"},
			},
			Spec: v1beta1.PostSpec{
				BrandRef: b.Spec.BrandRef, Batch: b.Name, Account: o.to.name, Platform: o.to.platform, ShortID: 1, Revision: 1,
				Caption: caption(id), PostingMode: catalog.PostDirect, ScheduledAt: metav1.NewMicroTime(o.at),
				Media: v1beta1.PostMedia{Kind: catalog.MediaVideo, VideoKey: videoKey, Bytes: s.film, DurationMillis: 4000, Width: 540, Height: 960},
			},
		}
		if err := s.kube.Create(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// caption returns the caption by which a post is identified in the ledger.
func caption(id int64) string { return fmt.Sprintf("Post %d of the bench", id) }
