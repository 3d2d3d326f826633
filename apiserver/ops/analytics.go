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
	Summary: "The accounts whose numbers are read",
	Description: "Every connected account of the brand on a platform that tells numbers, with what it showed as a whole when it was last read. " +
		"`null` is what the platform does not tell, or what was never read yet: it is not 0. " +
		"The service reads the numbers by itself every few hours; platforms count late, often by hours and sometimes by a day or two, so a number that did not move is not wrong. " +
		"Read `GET /analytics/accounts/{social_data_id}` for the posts of an account.",
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
			return nil, problem.New(catalog.NotFound, nil).Saying("The numbers of accounts on " + catalog.PlatformName(string(a.Spec.Platform)) + " are not read.")
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
	Summary: "The numbers of one account and its posts",
	Description: "`summary` adds up every post that was made in the period; `posts` is one page of those posts, in the order that was asked for; `history` is the account by day, which shows how it grew. " +
		"Posts that were made elsewhere are counted as well where the platform lists them: `filter=reelmoney` keeps those that were published through the service, with the ids of the post and its short. " +
		"`null` is a number that the platform does not tell: it is never 0, sums leave it out, and such posts come last whichever way they are sorted; equal ones come newest first. " +
		"Posts are asked for less often the older they are, so each has its own `metrics_updated_at`. " +
		"All pages of one refresh fit together: while `last_refreshed_at` is the same no number moves, and only posts that meanwhile grow older than the period leave the end of it. " +
		"When the platform no longer accepts the connection the last numbers stay and are served; `token_status` tells. " +
		"Should the posts' numbers have been lost, `meta.warnings` says `analytics_unreadable`, and they come back with the next refresh.",
	Scope: v1beta1.ScopeAnalyticsRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleAccountAnalytics(),
}

type accountAnalyticsInput struct {
	operation.Paging
	ID     operation.ID    `path:"social_data_id" doc:"The account, as in GET /connections."`
	Period analyticsPeriod `query:"period" default:"30d" doc:"Posts made within so long before now, and growth in that time."`
	Filter analyticsFilter `query:"filter" default:"all" doc:"all, or reelmoney for posts published through the service; service is another word for that."`
	Sort   analyticsSort   `query:"sort" default:"posted_at" doc:"What to sort posts by. Unknown numbers come last."`
	Dir    sortDirection   `query:"dir" default:"desc" doc:"desc begins with the newest, or the most."`
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
	Message: "The numbers of this account's posts cannot be read any more. Those of the account as a whole are right; the posts come back with the next refresh.",
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
	p := problem.New(catalog.InternalError, nil).Saying("The numbers cannot be read just now.")
	p.Status, p.RetryAfter, p.Cause = http.StatusServiceUnavailable, problem.RetryAwayAfter, err
	return p
}
