// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
)

// admit rejects a request after which the account would store more than its plan allows.
func (s *Service) admit(ctx context.Context, c *operation.Call, more quota.Stored) error {
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return noAccount()
	} else if err != nil {
		return err
	}
	return refused(s.Meter.Admit(ctx, account, more))
}

// admitUpload rejects an upload after which the account would exceed its limit of unclaimed bytes. Otherwise it records
// the upload.
func (s *Service) admitUpload(ctx context.Context, c *operation.Call, claim *upload.Claim) error {
	account, err := s.Reader.Account(ctx, c.Namespace())
	if errors.Is(err, read.ErrNotFound) {
		return noAccount()
	} else if err != nil {
		return err
	}
	there := map[string]int64{}
	if err := s.Store.Walk(ctx, upload.Prefix+claim.Namespace+"/", func(o blob.Object) error {
		there[o.Key] = o.Bytes
		return nil
	}); err != nil {
		return err
	}
	most := ptr.Deref(account.Spec.Plan.MaxUnclaimedBytes, v1beta1.DefaultMaxUnclaimedBytes)
	if used, ok := s.declared.add(claim, there, most, s.Clock.Now()); !ok {
		return refused(&quota.LimitError{Resource: quota.UnclaimedBytes, Limit: most, Used: used})
	}
	return nil
}

// declarations holds the uploads that this process declared and whose signed URL is still valid. The store also lists
// the completed uploads. Pending uploads of other replicas are unknown here.
type declarations struct {
	mu  sync.Mutex
	all map[string]map[string]declaration // by namespace and key
}

type declaration struct {
	bytes int64
	until time.Time
}

// add records a claim unless the unclaimed bytes would exceed most. there lists the uploads in the store. used is the
// number of unclaimed bytes without this claim.
func (d *declarations) add(claim *upload.Claim, there map[string]int64, most int64, now time.Time) (used int64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range there {
		used += n
	}
	mine := d.all[claim.Namespace]
	for key, v := range mine {
		if !now.Before(v.until) {
			delete(mine, key)
		} else if _, came := there[key]; !came {
			used += v.bytes
		}
	}
	if used+claim.Bytes > most {
		return used, false
	}
	if mine == nil {
		mine = map[string]declaration{}
		if d.all == nil {
			d.all = map[string]map[string]declaration{}
		}
		d.all[claim.Namespace] = mine
	}
	mine[claim.Key()] = declaration{claim.Bytes, now.Add(catalog.UploadURLValidity)}
	return used, true
}

// drop removes a claimed upload.
func (d *declarations) drop(claim *upload.Claim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all[claim.Namespace], claim.Key())
}

// full returns the problem for a request that would store more than the plan allows.
func full(e *quota.LimitError) *problem.Problem {
	say := map[quota.Resource]string{
		quota.Objects: "The account has the maximum number of media items, slideshows, videos and renders of its plan: delete some first.",
		quota.Bytes:   "The account's media and videos use all storage of its plan: delete some first.",
		quota.UnclaimedBytes: "Unclaimed uploads use too many bytes: claim them with POST /media, or wait " +
			"until they are deleted, a day after their declaration.",
		quota.PendingURLs: "Too many files wait to be fetched from their URLs: repeat the request when some of them are fetched.",
	}
	return problem.New(catalog.QuotaExceeded, problem.Details{
		"resource": e.Resource, "limit": e.Limit, "used": e.Used, "remaining": max(0, e.Limit-e.Used),
	}).Saying(say[e.Resource])
}
