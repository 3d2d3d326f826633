// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
)

var analyticsSpec = operation.Spec{
	Name: "list_analytics", Method: http.MethodGet, Path: "/api/v1/analytics", Tag: "Analytics",
	Summary: "List accounts with analytics",
	Description: "Lists the connected accounts of the brand on platforms that report analytics, with their totals at the last refresh. " +
		"`null` means that the platform does not report a number, or that it was never read; it does not mean 0. " +
		"The service refreshes analytics automatically every few hours. " +
		"Platforms count with a delay of hours, sometimes of a day or two, so an unchanged number is not an error. " +
		"`GET /analytics/accounts/{social_data_id}` returns the posts of an account.",
	Scope: v1beta1.ScopeAnalyticsRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleAnalytics(),
}

func (s *Service) analytics(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[view.Analytics], error) {
	accounts, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	out := view.Analytics{Accounts: []view.AnalyticsAccount{}, Note: view.AnalyticsNote(s.analyticsPlatforms())}
	for _, p := range s.analyticsPlatforms() {
		out.SupportedPlatforms = append(out.SupportedPlatforms, view.PlatformName(p))
	}
	for i := range accounts {
		if a := &accounts[i]; s.measures(a) {
			n, err := s.knownOf(ctx, a)
			if err != nil {
				return nil, err
			}
			out.Accounts = append(out.Accounts, s.analyticsAccount(a, n))
		}
	}
	return &operation.Reply[view.Analytics]{Data: out}, nil
}

// analyticsPlatforms returns the platforms whose analytics this installation reads.
func (s *Service) analyticsPlatforms() []string {
	return catalog.AnalyticsPlatforms(s.LinkedInAnalytics)
}

// measures reports whether this installation reads the analytics of the account's platform.
func (s *Service) measures(a *v1beta1.SocialAccount) bool {
	return slices.Contains(s.analyticsPlatforms(), string(a.Spec.Platform))
}

// measured returns an account of the brand whose analytics are read.
func (s *Service) measured(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.SocialAccount, error) {
	accounts, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	for i := range accounts {
		switch a := &accounts[i]; {
		case read.ID(a) != int64(id):
		case s.measures(a):
			return a, nil
		default:
			return nil, problem.New(catalog.NotFound, nil).Saying("Analytics of " + catalog.PlatformName(string(a.Spec.Platform)) + " accounts are not available.")
		}
	}
	return nil, problem.New(catalog.NotFound, nil)
}

// knownOf returns the analytics of an account, or nil if there are none.
func (s *Service) knownOf(ctx context.Context, a *v1beta1.SocialAccount) (*v1beta1.AccountAnalytics, error) {
	n, err := s.Reader.Analytics(ctx, a.Namespace, a.Name)
	if errors.Is(err, read.ErrNotFound) {
		return nil, nil
	}
	return n, err
}

// cooldown returns the minimum time between requested refreshes of an account.
func (s *Service) cooldown() time.Duration {
	c := s.Limits.Ceiling(limit.AnalyticsRefresh)
	return c.Window / time.Duration(c.Limit)
}

func (s *Service) analyticsAccount(a *v1beta1.SocialAccount, n *v1beta1.AccountAnalytics) view.AnalyticsAccount {
	return view.AnalyticsAccountOf(read.ID(a), a, n, s.cooldown(), s.Clock.Now())
}

var accountAnalyticsSpec = operation.Spec{
	Name: "get_account_analytics", Method: http.MethodGet, Path: "/api/v1/analytics/accounts/{social_data_id}", Tag: "Analytics",
	Summary: "Get account analytics",
	Description: "`summary` has the sums over all posts published in the period. " +
		"`posts` is one page of those posts in the requested order. `history` has the totals of the account by day. " +
		"Posts that were not published by this service count as well if the platform lists them. " +
		"`filter=reelmoney` selects the posts of this service, with the ids of the post and its short. " +
		"`null` is a number that the platform does not report; it never means 0. " +
		"Sums omit such numbers, and posts with an unknown sort key are last in either direction. " +
		"Posts with equal keys are sorted newest first. " +
		"Older posts are read less often, so each post has its own `metrics_updated_at`. " +
		"All pages of one refresh are consistent: while `last_refreshed_at` is unchanged, no number changes. " +
		"Only posts that become older than the period are removed from its end. " +
		"If the platform no longer accepts the connection, the analytics of the last refresh are returned, and `token_status` reports the state of the connection. " +
		"If the stored analytics of the posts are lost, `meta.warnings` contains `analytics_unreadable`, and the next refresh restores them.",
	Scope: v1beta1.ScopeAnalyticsRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleAccountAnalytics(),
}

type accountAnalyticsInput struct {
	operation.Paging
	ID     operation.ID    `path:"social_data_id" doc:"The account, as in GET /connections."`
	Period analyticsPeriod `query:"period" default:"30d" doc:"Length of the period up to now."`
	Filter analyticsFilter `query:"filter" default:"all" doc:"all, or reelmoney for posts published by this service. service is an alias of reelmoney."`
	Sort   analyticsSort   `query:"sort" default:"posted_at" doc:"Posts with unknown numbers are last."`
	Dir    sortDirection   `query:"dir" default:"desc" doc:"desc begins with the newest, or the highest number."`
}

type (
	analyticsPeriod string
	analyticsFilter string
	analyticsSort   string
	sortDirection   string
)

const ascending, descending = "asc", "desc"

func words[S ~string](all ...S) *huma.Schema {
	out := &huma.Schema{Type: huma.TypeString}
	for _, w := range all {
		out.Enum = append(out.Enum, string(w))
	}
	return out
}

// Schema lists the periods.
func (analyticsPeriod) Schema(huma.Registry) *huma.Schema {
	var names []string
	for _, p := range catalog.AnalyticsPeriods {
		names = append(names, p.Name)
	}
	return words(names...)
}

// Schema lists the filters.
func (analyticsFilter) Schema(huma.Registry) *huma.Schema {
	return words(catalog.PostsAll, catalog.PostsOurs, catalog.PostsService)
}

// Schema lists the columns.
func (analyticsSort) Schema(huma.Registry) *huma.Schema { return words(catalog.AnalyticsSorts()...) }

// Schema lists the directions.
func (sortDirection) Schema(huma.Registry) *huma.Schema { return words(ascending, descending) }

// query returns the query for the parameters, and the filter under its canonical name.
func (in *accountAnalyticsInput) query() (q analytics.Query, filter string) {
	filter = catalog.PostsAll
	if in.Filter != catalog.PostsAll {
		filter = catalog.PostsOurs
	}
	q = analytics.Query{PeriodName: string(in.Period), OursOnly: filter == catalog.PostsOurs, Sort: string(in.Sort), Ascending: in.Dir == ascending}
	for _, p := range catalog.AnalyticsPeriods {
		if p.Name == q.PeriodName {
			q.Period = p.Length
		}
	}
	return q, filter
}

// unreadable is the warning about lost analytics.
var unreadable = operation.Warning{
	Code:    "analytics_unreadable",
	Message: "The stored analytics of this account's posts are unreadable. The totals of the account are correct, and the next refresh restores the posts.",
}

func (s *Service) accountAnalytics(ctx context.Context, c *operation.Call, in accountAnalyticsInput) (*operation.Reply[view.AccountAnalytics], error) {
	a, err := s.measured(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	n, err := s.knownOf(ctx, a)
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[view.AccountAnalytics]{}
	var known *analytics.Orders
	if n != nil {
		known, n, err = s.Reader.AnalyticsDocument(ctx, n)
		if errors.Is(err, read.ErrLost) {
			reply.Meta.Warnings, err = append(reply.Meta.Warnings, unreadable), nil
		}
		if err != nil {
			return nil, unreadableNow(err)
		}
	}
	q, filter := in.query()
	now := s.Clock.Now()
	var d *analytics.Document
	var rows []analytics.Row
	var total int
	if known != nil {
		d = known.Document
		rows, total = known.Part(q, now, (in.Page-1)*in.PerPage, in.PerPage)
	}
	_, _, reply.Meta.Pagination = in.Of(total)
	reply.Data = view.AccountAnalyticsOf(s.analyticsAccount(a, n), d, q, rows, filter, now)
	return reply, nil
}

// unreadableNow returns the problem for an unavailable blob store.
func unreadableNow(err error) error {
	p := problem.New(catalog.InternalError, nil).Saying("The stored analytics cannot be read at the moment.")
	p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, problem.RetryAwayAfter, err
	return p
}
