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
	Accounts           []AnalyticsAccount `json:"accounts" doc:"By id. Accounts on other platforms are not listed."`
	SupportedPlatforms []PlatformName     `json:"supported_platforms" doc:"Platforms whose numbers are read."`
	Note               string             `json:"note" doc:"What to know about platforms that tell little or nothing; for people."`
}

// AnalyticsAccount holds the account-level analytics of one account.
type AnalyticsAccount struct {
	SocialDataID       int64                  `json:"social_data_id" example:"9" doc:"The account, as in GET /connections."`
	Platform           PlatformName           `json:"platform" doc:"Where it is."`
	AccountName        *string                `json:"account_name" example:"Maya's Kitchen" doc:"For people."`
	AvatarURL          *string                `json:"avatar_url" format:"uri" doc:"Its picture, on the platform; such addresses end."`
	TokenStatus        TokenStatus            `json:"token_status" doc:"Whether the platform accepts the connection. Where it does not, the numbers stay as they were last."`
	FollowerCount      *int64                 `json:"follower_count" example:"1840" doc:"Followers now; null where the platform does not tell."`
	PostCount          *int64                 `json:"post_count" example:"96" doc:"Posts on the account now, as the platform counts them; null where it does not."`
	ViewCount          *int64                 `json:"view_count" example:"402113" doc:"Views of the account since it began, as the platform counts them; where it does not, those of the posts that are known; null when nothing tells."`
	LastRefreshedAt    *Time                  `json:"last_refreshed_at" nullable:"true" doc:"When the numbers were read from the platform; null before the first time."`
	RefreshAvailableAt *Time                  `json:"refresh_available_at" nullable:"true" doc:"When new numbers can next be asked for; null when they can be now. A refresh that the service makes by itself counts as well."`
	Refreshing         bool                   `json:"refreshing" doc:"New numbers are being read, or were asked for and wait for their turn. Read again after a while."`
	RefreshError       Nullable[RefreshError] `json:"refresh_error" doc:"Why the last refresh gave nothing new; null when it went well. The numbers are those of the refresh before it."`
}

// RefreshError is the reason why a refresh failed.
type RefreshError struct {
	Code      ErrorCode      `json:"code" doc:"Branch on this."`
	Message   string         `json:"message" doc:"For people; may be reworded."`
	Retryable bool           `json:"retryable" doc:"Whether a refresh later can succeed; the service tries by itself then."`
	Details   map[string]any `json:"details" doc:"Machine-readable specifics, possibly empty."`
}

// AccountAnalytics holds the analytics of one account and its posts.
type AccountAnalytics struct {
	Account AnalyticsAccount `json:"account" doc:"As in the list of accounts."`
	Summary AnalyticsSummary `json:"summary" doc:"Of all posts of the period and the filter, whatever page is shown."`
	Posts   []PostMetrics    `json:"posts" doc:"One page of them."`
	History []AnalyticsDay   `json:"history" doc:"The account by day within the period, oldest first: how it grew. Days that nobody looked at are missing."`
}

// AnalyticsSummary is the sum over posts.
type AnalyticsSummary struct {
	Period           string   `json:"period" example:"30d" doc:"As it was asked for."`
	Filter           string   `json:"filter" enum:"all,reelmoney" doc:"As it was asked for."`
	Since            Time     `json:"since" doc:"Posts made then or later are counted."`
	Until            Time     `json:"until" doc:"Now."`
	FollowerCount    *int64   `json:"follower_count" example:"1840" doc:"Followers now; null where the platform does not tell."`
	FollowerChange   *int64   `json:"follower_change" example:"-12" doc:"How many came, or left, in the period; null where nobody can tell, which is so until the numbers have been read for that long."`
	PostCount        int      `json:"post_count" example:"14" doc:"Posts of the period."`
	ViewCount        *int64   `json:"view_count" example:"52210" doc:"Of those posts, as of now: not only what happened within the period. The same holds for the other sums."`
	LikeCount        *int64   `json:"like_count" example:"3120" doc:"Of those posts. A sum leaves out posts whose number is unknown, and is null when all are."`
	CommentCount     *int64   `json:"comment_count" example:"88" doc:"Of those posts."`
	ShareCount       *int64   `json:"share_count" example:"140" doc:"Of those posts."`
	FavoriteCount    *int64   `json:"favorite_count" example:"305" doc:"Of those posts: how often they were saved."`
	EngagementRate   *float64 `json:"engagement_rate" example:"0.0699" doc:"Likes, comments, shares and favorites by views, as far as they are known: 0.07 is seven of a hundred. null without views."`
	AverageViewCount *float64 `json:"average_view_count" example:"3729.3" doc:"Views of a post that reports them, on average."`
	LastRefreshedAt  *Time    `json:"last_refreshed_at" nullable:"true" doc:"When the numbers were read from the platform; null before the first time."`
}

// PostMetrics holds the analytics of one post.
type PostMetrics struct {
	PlatformPostID     string   `json:"platform_post_id" example:"7312345678901234567" doc:"The platform's own id."`
	PostID             *int64   `json:"post_id" example:"512" doc:"The id in GET /posts; null for a post that was made elsewhere."`
	ShortID            *int64   `json:"short_id" example:"123" doc:"The short that it was published from; null for a post that was made elsewhere."`
	PublishedByService bool     `json:"published_by_service" doc:"Whether it was published through the service."`
	Title              *string  `json:"title" doc:"As the platform shows it; null where it has none."`
	Caption            *string  `json:"caption" doc:"As the platform shows it; null where it has none."`
	PostURL            *string  `json:"post_url" format:"uri" doc:"The post on the platform."`
	ThumbnailURL       *string  `json:"thumbnail_url" format:"uri" doc:"Its picture, on the platform; such addresses end."`
	PostedAt           Time     `json:"posted_at" doc:"When it came out."`
	ViewCount          *int64   `json:"view_count" example:"8120" doc:"null where the platform does not report it, which is not the same as 0. The same holds for the other numbers."`
	LikeCount          *int64   `json:"like_count" example:"540" doc:"null where the platform does not report it."`
	CommentCount       *int64   `json:"comment_count" example:"12" doc:"null where the platform does not report it."`
	ShareCount         *int64   `json:"share_count" example:"31" doc:"null where the platform does not report it."`
	FavoriteCount      *int64   `json:"favorite_count" example:"44" doc:"How often it was saved; null where the platform does not report it."`
	EngagementRate     *float64 `json:"engagement_rate" example:"0.0772" doc:"Likes, comments, shares and favorites by views, as far as they are known; null without views."`
	DurationSeconds    *float64 `json:"duration_seconds" example:"24.5" doc:"How long a video is; null for pictures, and where it is unknown."`
	MetricsUpdatedAt   *Time    `json:"metrics_updated_at" nullable:"true" doc:"When the platform told these numbers: older posts are asked for less often. null when it has told none yet."`
}

// AnalyticsDay holds the analytics of an account at the end of a day.
type AnalyticsDay struct {
	Date           string `json:"date" format:"date" example:"2026-11-20" doc:"A day in UTC; the current one is as of the last refresh."`
	FollowerCount  *int64 `json:"follower_count" example:"1828" doc:"null where it is unknown."`
	FollowerChange *int64 `json:"follower_change" example:"7" doc:"In that day, where the platform tells it by day; else null, and the difference of follower_count tells."`
	PostCount      *int64 `json:"post_count" example:"95" doc:"As the platform counted them then."`
	ViewCount      *int64 `json:"view_count" example:"398004" doc:"Of the account until then."`
	LikeCount      *int64 `json:"like_count" example:"22110" doc:"Of all posts that were known then, as the next three."`
	CommentCount   *int64 `json:"comment_count" example:"903" doc:"null where it is unknown."`
	ShareCount     *int64 `json:"share_count" example:"1204" doc:"null where it is unknown."`
	FavoriteCount  *int64 `json:"favorite_count" example:"2650" doc:"null where it is unknown."`
}

// AnalyticsRefresh reports that a refresh was accepted.
type AnalyticsRefresh struct {
	SocialDataID     int64         `json:"social_data_id" example:"9" doc:"The account."`
	Status           RefreshStatus `json:"status" doc:"Always refreshing."`
	PollAfterSeconds int           `json:"poll_after_seconds" example:"30" doc:"Read the account again after so long."`
	Message          string        `json:"message" example:"Refreshing. Read the account again after the wait." doc:"For people; may be reworded."`
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
	usable := a.Status.TokenStatus == "" || a.Status.TokenStatus.Usable()
	out.Refreshing = usable && (st.Refreshing || n.Unanswered() != nil)
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
