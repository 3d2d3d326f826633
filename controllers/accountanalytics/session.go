// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// callTimeout bounds one call, refreshTimeout a whole refresh. The result keeps what was read until then.
	callTimeout    = 45 * time.Second
	refreshTimeout = 4 * time.Minute
)

// errTooLong ends a refresh after refreshTimeout.
var errTooLong = &publish.Error{Kind: publish.Transient, Code: "too_slow", Safe: "The platform took too long to return all analytics"}

// session is the analytics source of one refresh. It counts and bounds the calls, and refreshes a rejected token once.
type session struct {
	source   analytics.Source
	accounts Accounts
	clock    clock.PassiveClock
	social   *v1beta1.SocialAccount

	account publish.Account
	renewed bool
	calls   int
	began   time.Time
	// limited is the platform's rate-limit error; nil if it was not limited.
	limited *publish.Error
}

func (q *session) Terms(publish.Account) analytics.Terms { return q.source.Terms(q.account) }

func (q *session) Totals(ctx context.Context, _ publish.Account) (out *analytics.Totals, err error) {
	err = q.call(ctx, func(ctx context.Context) (err error) {
		out, err = q.source.Totals(ctx, q.account)
		return err
	})
	return out, err
}

func (q *session) Page(ctx context.Context, _ publish.Account, cursor string) (out *analytics.Page, err error) {
	err = q.call(ctx, func(ctx context.Context) (err error) {
		out, err = q.source.Page(ctx, q.account, cursor)
		return err
	})
	return out, err
}

func (q *session) Measure(ctx context.Context, _ publish.Account, posts []analytics.Post) (out []analytics.Post, gone []string, err error) {
	err = q.call(ctx, func(ctx context.Context) (err error) {
		out, gone, err = q.source.Measure(ctx, q.account, posts)
		return err
	})
	return out, gone, err
}

// call makes one call, and repeats it with a refreshed token if the platform rejects the token.
func (q *session) call(ctx context.Context, do func(context.Context) error) error {
	err := q.once(ctx, do)
	if publish.KindOf(err) != publish.Unauthorized || q.renewed || ctx.Err() != nil {
		return err
	}
	q.renewed = true
	again, rerr := q.accounts.Renew(ctx, q.social, q.account.AccessToken)
	if rerr != nil {
		return rerr
	}
	q.account = again
	return q.once(ctx, do)
}

func (q *session) once(ctx context.Context, do func(context.Context) error) error {
	if d := q.clock.Since(q.began); d > refreshTimeout {
		return errTooLong
	}
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	q.calls++
	err := do(bounded)
	var e *publish.Error
	if errors.As(err, &e) && e.Kind == publish.RateLimited {
		q.limited = e
	}
	return err
}
