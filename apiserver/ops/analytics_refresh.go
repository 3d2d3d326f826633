// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/posting"
)

var refreshSpec = operation.Spec{
	Name: "refresh_analytics", Method: http.MethodPost, Path: "/api/v1/analytics/accounts/{social_data_id}/refresh", Tag: "Analytics",
	Summary: "Refresh account analytics",
	Description: "Starts a refresh in the background. " +
		"Read the account again after `poll_after_seconds` and check `refreshing` and `last_refreshed_at`. " +
		"A refresh reads the posts of the last 30 days, and older ones in turn. " +
		"An account can be refreshed once in 15 minutes, over all callers, and automatic refreshes count as well. " +
		"`refresh_available_at` of the account is the earliest time. " +
		"An earlier request is a 429 `rate_limited` with the bucket `analytics_refresh`. " +
		"The cooldown is stored with the account, not with the server: if the response to an accepted request is lost, a repeated request gets that 429. " +
		"If the platform does not accept the connection, the response is 422 `token_expired`: connect the account again. " +
		"A refresh is rarely needed, because the service refreshes analytics automatically every few hours and platforms count with a delay.",
	Scope: v1beta1.ScopeAnalyticsRead, ForBrand: true, Bucket: operation.Global, Status: http.StatusAccepted, Polls: true,
	Errors:      []catalog.Code{catalog.TokenExpired, catalog.PlatformNotConfigured},
	DataExample: refreshing(9),
}

// aboutAccount is the input of an operation on one account.
type aboutAccount struct {
	ID operation.ID `path:"social_data_id" doc:"The account, as in GET /connections."`
}

func refreshing(id int64) view.AnalyticsRefresh {
	return view.AnalyticsRefresh{
		SocialDataID: id, Status: view.Refreshing, PollAfterSeconds: int(catalog.RefreshPollAfter / time.Second),
		Message: "The refresh has started. Read the account again after poll_after_seconds.",
	}
}

// refreshTries limits how often a request is retried after a conflicting write. A write of another request ends the
// retries, and a controller writes a few times during a refresh.
const refreshTries = 10

func (s *Service) refreshAnalytics(ctx context.Context, c *operation.Call, in aboutAccount) (*operation.Reply[view.AnalyticsRefresh], error) {
	a, err := s.measured(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if issues := posting.Connection(a, s.Missing); len(issues) > 0 {
		return nil, problem.New(issues[0].Code, view.IssueDetails(&issues[0])).Saying(issues[0].Message)
	}
	for range refreshTries {
		err = s.requestRefresh(ctx, a)
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		p := problem.New(catalog.InternalError, nil).Saying("The service is temporarily unavailable.")
		p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, problem.RetryAwayAfter, err
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.AnalyticsRefresh]{Data: refreshing(int64(in.ID)), RetryAfter: catalog.RefreshPollAfter}, nil
}

// requestRefresh records the request for a refresh on the account's analytics, unless the cooldown is running. Of
// concurrent requests on any replicas, the first write succeeds. The others get a conflict error, and find the cooldown
// when they retry.
func (s *Service) requestRefresh(ctx context.Context, a *v1beta1.SocialAccount) error {
	now := s.Clock.Now()
	asked := metav1.NewTime(now.Truncate(time.Second))
	n, err := s.Reader.LiveAnalytics(ctx, a.Namespace, a.Name)
	if errors.Is(err, read.ErrNotFound) {
		n = analyticsOf(a)
		n.Spec.RefreshRequestedAt = &asked
		if err := s.Client.Create(ctx, n); err != nil {
			return fmt.Errorf("requesting a refresh of account analytics: %w", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if wait := view.RefreshAvailable(n, s.cooldown(), now).Sub(now); wait > 0 {
		return limit.Refusal(s.Limits.Refuse(limit.AnalyticsRefresh, wait)).Saying(
			"This account was refreshed recently, or a refresh is running. Read the account; refresh it again after retry_after_seconds.")
	}
	before := n.DeepCopy()
	n.Spec.RefreshRequestedAt = &asked
	if err := s.Client.Patch(ctx, n, audit.Guarded(before)); err != nil {
		return fmt.Errorf("requesting a refresh of account analytics: %w", err)
	}
	return nil
}

// analyticsOf returns the AccountAnalytics object of an account, as the controller would create it a moment later.
func analyticsOf(a *v1beta1.SocialAccount) *v1beta1.AccountAnalytics {
	return &v1beta1.AccountAnalytics{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.Namespace, Name: a.Name, Labels: map[string]string{v1beta1.LabelBrand: a.Spec.BrandRef.Name},
			Finalizers: []string{v1beta1.FinalizerAccountAnalytics}, OwnerReferences: []metav1.OwnerReference{credential.OwnerReference("SocialAccount", a)},
		},
		Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: a.Name}},
	}
}
