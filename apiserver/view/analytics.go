// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
)

// Analytics lists the accounts whose analytics can be read.
type Analytics struct {
	Accounts           []AnalyticsAccount `json:"accounts" doc:"The accounts, in order of id. Accounts on other platforms are not listed."`
	SupportedPlatforms []PlatformName     `json:"supported_platforms" doc:"Platforms with analytics."`
	Note               string             `json:"note" doc:"Notes for users about platforms that report few analytics or none."`
}

// AnalyticsAccount holds the account-level analytics of one account.
type AnalyticsAccount struct {
	SocialDataID       int64                  `json:"social_data_id" example:"9" doc:"The account, as in GET /connections."`
	Platform           PlatformName           `json:"platform" doc:"The platform of the account."`
	AccountName        *string                `json:"account_name" example:"Maya's Kitchen" doc:"Display name of the account."`
	AvatarURL          *string                `json:"avatar_url" format:"uri" doc:"URL of the account's image on the platform. The URL expires."`
	TokenStatus        TokenStatus            `json:"token_status" doc:"Whether the platform accepts the connection. If not, the analytics are those of the last refresh."`
	FollowerCount      *int64                 `json:"follower_count" example:"1840" doc:"Current number of followers; null if the platform does not report it."`
	PostCount          *int64                 `json:"post_count" example:"96" doc:"Current number of posts of the account, as the platform counts them; null if it does not report it."`
	ViewCount          *int64                 `json:"view_count" example:"402113" doc:"All-time views of the account, as the platform counts them. If the platform does not report them, the sum of the views of known posts. null if neither is known."`
	LastRefreshedAt    *Time                  `json:"last_refreshed_at" nullable:"true" doc:"When the analytics were last read from the platform; null before the first refresh."`
	RefreshAvailableAt *Time                  `json:"refresh_available_at" nullable:"true" doc:"When the next refresh can be requested; null if now. Automatic refreshes count as well."`
	Refreshing         bool                   `json:"refreshing" doc:"Whether a refresh is running or queued. If so, read the account again later."`
	RefreshError       Nullable[RefreshError] `json:"refresh_error" doc:"Why the last refresh failed; null if it succeeded. After a failure the analytics are those of the last successful refresh."`
}

// RefreshError is the reason why a refresh failed.
type RefreshError struct {
	Code      ErrorCode      `json:"code" doc:"Stable code for programs."`
	Message   string         `json:"message" doc:"Description for users; its wording may change."`
	Retryable bool           `json:"retryable" doc:"Whether a later refresh can succeed; the service then retries automatically."`
	Details   map[string]any `json:"details" doc:"Machine-readable specifics, possibly empty."`
}

// AccountAnalytics holds the analytics of one account and its posts.
type AccountAnalytics struct {
	Account AnalyticsAccount `json:"account" doc:"The account, as in the list of accounts."`
	Summary AnalyticsSummary `json:"summary" doc:"Sums over all posts of the period that match the filter, on all pages."`
	Posts   []PostMetrics    `json:"posts" doc:"One page of posts."`
	History []AnalyticsDay   `json:"history" doc:"Totals of the account by day within the period, oldest first. Days without a refresh are missing."`
}

// AnalyticsSummary is the sum over posts.
type AnalyticsSummary struct {
	Period           string   `json:"period" example:"30d" doc:"The value of the request."`
	Filter           string   `json:"filter" enum:"all,reelmoney" doc:"The value of the request."`
	Since            Time     `json:"since" doc:"Start of the period: posts from this time on are counted."`
	Until            Time     `json:"until" doc:"End of the period: the current time."`
	FollowerCount    *int64   `json:"follower_count" example:"1840" doc:"Current number of followers; null if the platform does not report it."`
	FollowerChange   *int64   `json:"follower_change" example:"-12" doc:"Change in followers within the period. null if it is unknown, for example while the first refresh is more recent than the start of the period."`
	PostCount        int      `json:"post_count" example:"14" doc:"Number of posts in the period."`
	ViewCount        *int64   `json:"view_count" example:"52210" doc:"Current views of those posts, including views outside of the period. The same holds for the other sums."`
	LikeCount        *int64   `json:"like_count" example:"3120" doc:"Likes of those posts. A sum omits posts whose number is unknown, and is null if all are unknown."`
	CommentCount     *int64   `json:"comment_count" example:"88" doc:"Comments on those posts."`
	ShareCount       *int64   `json:"share_count" example:"140" doc:"Shares of those posts."`
	FavoriteCount    *int64   `json:"favorite_count" example:"305" doc:"How often those posts were saved."`
	EngagementRate   *float64 `json:"engagement_rate" example:"0.0699" doc:"Likes, comments, shares and favorites divided by views, as far as these are known: 0.07 is 7 percent. null without views."`
	AverageViewCount *float64 `json:"average_view_count" example:"3729.3" doc:"Average views per post, over posts whose views are known."`
	LastRefreshedAt  *Time    `json:"last_refreshed_at" nullable:"true" doc:"When the analytics were last read from the platform; null before the first refresh."`
}

// PostMetrics holds the analytics of one post.
type PostMetrics struct {
	PlatformPostID     string   `json:"platform_post_id" example:"7312345678901234567" doc:"The platform's own id."`
	PostID             *int64   `json:"post_id" example:"512" doc:"The id in GET /posts; null for a post that was not published by this service."`
	ShortID            *int64   `json:"short_id" example:"123" doc:"The short of the post; null for a post that was not published by this service."`
	PublishedByService bool     `json:"published_by_service" doc:"Whether the post was published by this service."`
	Title              *string  `json:"title" doc:"Title on the platform; null if it has none."`
	Caption            *string  `json:"caption" doc:"Caption on the platform; null if it has none."`
	PostURL            *string  `json:"post_url" format:"uri" doc:"The post on the platform."`
	ThumbnailURL       *string  `json:"thumbnail_url" format:"uri" doc:"URL of the post's thumbnail on the platform. The URL expires."`
	PostedAt           Time     `json:"posted_at" doc:"When the post was published."`
	ViewCount          *int64   `json:"view_count" example:"8120" doc:"null if the platform does not report it, which differs from 0. The same holds for the other numbers."`
	LikeCount          *int64   `json:"like_count" example:"540" doc:"null if the platform does not report it."`
	CommentCount       *int64   `json:"comment_count" example:"12" doc:"null if the platform does not report it."`
	ShareCount         *int64   `json:"share_count" example:"31" doc:"null if the platform does not report it."`
	FavoriteCount      *int64   `json:"favorite_count" example:"44" doc:"How often the post was saved; null if the platform does not report it."`
	EngagementRate     *float64 `json:"engagement_rate" example:"0.0772" doc:"Likes, comments, shares and favorites divided by views, as far as these are known; null without views."`
	DurationSeconds    *float64 `json:"duration_seconds" example:"24.5" doc:"Length of a video; null for images, and if unknown."`
	MetricsUpdatedAt   *Time    `json:"metrics_updated_at" nullable:"true" doc:"When these numbers were read from the platform. Older posts are read less often. null before the first read."`
}

// AnalyticsDay holds the analytics of an account at the end of a day.
type AnalyticsDay struct {
	Date           string `json:"date" format:"date" example:"2026-11-20" doc:"A day in UTC; the current one is as of the last refresh."`
	FollowerCount  *int64 `json:"follower_count" example:"1828" doc:"null where it is unknown."`
	FollowerChange *int64 `json:"follower_change" example:"7" doc:"Change in followers on that day; null if the platform does not report it by day. Then use the difference of follower_count."`
	PostCount      *int64 `json:"post_count" example:"95" doc:"Number of posts at that time, as the platform counted them."`
	ViewCount      *int64 `json:"view_count" example:"398004" doc:"Views of the account up to that day."`
	LikeCount      *int64 `json:"like_count" example:"22110" doc:"Likes of all posts that were known at that time. The same holds for the next three numbers."`
	CommentCount   *int64 `json:"comment_count" example:"903" doc:"null where it is unknown."`
	ShareCount     *int64 `json:"share_count" example:"1204" doc:"null where it is unknown."`
	FavoriteCount  *int64 `json:"favorite_count" example:"2650" doc:"null where it is unknown."`
}

// AnalyticsRefresh reports that a refresh was accepted.
type AnalyticsRefresh struct {
	SocialDataID     int64         `json:"social_data_id" example:"9" doc:"The account."`
	Status           RefreshStatus `json:"status" doc:"Always refreshing."`
	PollAfterSeconds int           `json:"poll_after_seconds" example:"30" doc:"Seconds to wait before reading the account again."`
	Message          string        `json:"message" example:"The refresh has started. Read the account again after poll_after_seconds." doc:"Description for users; its wording may change."`
}

// RefreshStatus is the status of a refresh.
type RefreshStatus string

// Refreshing is the status of an accepted refresh.
const Refreshing RefreshStatus = "refreshing"

// Schema lists the statuses.
func (RefreshStatus) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{string(Refreshing)}}
}

// AnalyticsAccountOf returns the view of an account and its analytics. n is nil if there are none. cooldown is the
// minimum time between requested refreshes.
func AnalyticsAccountOf(id int64, a *v1beta1.SocialAccount, n *v1beta1.AccountAnalytics, cooldown time.Duration, now time.Time) AnalyticsAccount {
	out := AnalyticsAccount{
		SocialDataID: id, Platform: PlatformName(a.Spec.Platform), AccountName: nonEmpty(a.Status.AccountName), AvatarURL: nonEmpty(a.Status.AvatarURL),
		TokenStatus: TokenStatusOf(a),
	}
	if n == nil {
		return out
	}
	st := &n.Status
	out.FollowerCount, out.PostCount, out.ViewCount, out.LastRefreshedAt = st.Followers, st.Posts, st.Views, at(st.RefreshedAt)
	if t := RefreshAvailable(n, cooldown, now); t.After(now) {
		out.RefreshAvailableAt = &Time{wholeSecondsUp(t)}
	}
	// A requested refresh does not run while the platform refuses the connection.
	out.Refreshing = a.Usable() && (st.Refreshing || n.Unanswered() != nil)
	if st.Error != nil {
		e := PostErrorOf(st.Error)
		out.RefreshError.Value = &RefreshError{Code: e.Code, Message: e.Message, Retryable: e.Retryable, Details: e.Details}
	}
	return out
}

// RefreshAvailable returns when the next refresh can be requested: a cooldown after the last refresh or unanswered
// request. If the time is not after now, a refresh can be requested now.
func RefreshAvailable(n *v1beta1.AccountAnalytics, cooldown time.Duration, now time.Time) time.Time {
	var last time.Time
	for _, t := range []*metav1.Time{n.Status.RefreshStartedAt, n.Unanswered()} {
		// Clocks differ a little. A time further ahead comes from a wrong clock and is ignored.
		if t != nil && t.After(last) && !t.After(now.Add(clocksDiffer)) {
			last = t.Time
		}
	}
	switch {
	case last.IsZero():
		return last
	case last.After(now):
		last = now
	}
	return last.Add(cooldown)
}

// clocksDiffer is by how much the clock of another process may be ahead.
const clocksDiffer = time.Minute

// AccountAnalyticsOf returns the view of an account with a page of its posts. Without a document it holds only the
// account's own numbers.
func AccountAnalyticsOf(account AnalyticsAccount, d *analytics.Document, q analytics.Query, rows []analytics.Row, filter string, now time.Time) AccountAnalytics {
	if d == nil {
		d = &analytics.Document{}
		d.Totals.Followers = account.FollowerCount
	}
	s := d.Summarize(q, now)
	out := AccountAnalytics{
		Account: account,
		Summary: AnalyticsSummary{
			Period: q.PeriodName, Filter: filter, Since: Time{s.Since}, Until: Time{s.Until}, FollowerCount: s.Followers, FollowerChange: s.FollowerChange,
			PostCount: s.Posts, ViewCount: s.Views, LikeCount: s.Likes, CommentCount: s.Comments, ShareCount: s.Shares, FavoriteCount: s.Favorites,
			EngagementRate: s.Rate, AverageViewCount: s.AverageViews, LastRefreshedAt: account.LastRefreshedAt,
		},
		Posts: make([]PostMetrics, 0, len(rows)), History: []AnalyticsDay{},
	}
	for i := range rows {
		out.Posts = append(out.Posts, postMetricsOf(&rows[i]))
	}
	for _, day := range d.Growth(s.Since) {
		out.History = append(out.History, AnalyticsDay{
			Date: day.Day, FollowerCount: day.Followers, FollowerChange: day.Change, PostCount: day.Posts, ViewCount: day.Views,
			LikeCount: day.Likes, CommentCount: day.Comments, ShareCount: day.Shares, FavoriteCount: day.Favorites,
		})
	}
	return out
}

func postMetricsOf(r *analytics.Row) PostMetrics {
	out := PostMetrics{
		PlatformPostID: r.ID, PostID: idOrNone(r.OurPost), ShortID: idOrNone(r.OurShort), PublishedByService: r.OurPost != 0,
		Title: nonEmpty(r.Title), Caption: nonEmpty(r.Caption), PostURL: nonEmpty(r.URL), ThumbnailURL: nonEmpty(r.ThumbnailURL), PostedAt: Time{r.PostedAt},
		ViewCount: r.Views, LikeCount: r.Likes, CommentCount: r.Comments, ShareCount: r.Shares, FavoriteCount: r.Favorites, EngagementRate: r.Rate(),
	}
	if r.Seconds > 0 {
		out.DurationSeconds = &r.Seconds
	}
	if !r.MeasuredAt.IsZero() {
		out.MetricsUpdatedAt = &Time{r.MeasuredAt}
	}
	return out
}

func idOrNone(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// AnalyticsNote returns a note about platforms that report few or no analytics.
func AnalyticsNote(platforms []string) string {
	for _, p := range platforms {
		if p == catalog.LinkedIn {
			return "LinkedIn lists no posts: of its accounts those are counted that were published through the service."
		}
	}
	return "LinkedIn member accounts expose no post metrics; such accounts are not listed."
}
