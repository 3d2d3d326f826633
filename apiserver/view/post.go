// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// PostStatus is the status of a post.
type PostStatus string

// Schema lists the statuses.
func (PostStatus) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"draft", "pending", "success", "failed", "scheduled", "cancelled", "retrying"}}
}

// PlatformName is the identifier of a platform.
type PlatformName string

// Schema lists the platforms.
func (PlatformName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: strings2any(catalog.Platforms())}
}

// DeliveryState is the state of a sent post on the platform.
type DeliveryState string

// Schema lists the states.
func (DeliveryState) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"published", "processing", "in_inbox", "private", "unconfirmed"}}
}

// PostError is the reason why a post, or one account of a request, failed.
type PostError struct {
	Code      ErrorCode      `json:"code" doc:"Stable code for programs."`
	Message   string         `json:"message" doc:"Description for users; its wording may change."`
	Retryable bool           `json:"retryable" doc:"Whether posting again later can succeed."`
	Details   map[string]any `json:"details" doc:"Machine-readable specifics, possibly empty."`
}

// Post is one post on one account.
type Post struct {
	ID             int64                   `json:"id" example:"512" doc:"The post id, the same as share_id of POST /posts."`
	ShortID        int64                   `json:"short_id" example:"123" doc:"The short that is posted."`
	SocialDataID   *int64                  `json:"social_data_id" example:"9" doc:"The account; null if it was deleted."`
	Platform       PlatformName            `json:"platform" doc:"The platform of the post."`
	AccountName    *string                 `json:"account_name" doc:"Display name of the account."`
	Status         PostStatus              `json:"status" doc:"success, failed and cancelled are final."`
	PostingMode    string                  `json:"posting_mode" enum:"draft,direct" doc:"direct publishes the post. draft uploads it, as a draft or as a private post, for a person to publish."`
	MediaKind      MediaKind               `json:"media_kind" doc:"Kind of media of the post."`
	Title          *string                 `json:"title" doc:"Title as sent to the platform; null if none."`
	Caption        *string                 `json:"caption" doc:"Caption as sent to the platform, including hashtags."`
	Cover          Nullable[Cover]         `json:"cover" doc:"Cover as sent to the platform; null if the platform chooses, usually the first frame or photo."`
	ScheduledAt    *Time                   `json:"scheduled_at" nullable:"true" doc:"Scheduled time; null for immediate publication."`
	PublishedAt    *Time                   `json:"published_at" nullable:"true" doc:"When the post was found public, or the platform accepted it."`
	PostURL        *string                 `json:"post_url" format:"uri" doc:"The URL of the post on the platform. Some platforms report it late, and drafts have none."`
	PlatformPostID *string                 `json:"platform_post_id" doc:"The post's id on the platform."`
	DeliveryState  Nullable[DeliveryState] `json:"delivery_state" doc:"State of the post on the platform; null before it was sent. unconfirmed: the post may have been published, but the platform did not confirm it; it is not sent again."`
	Error          Nullable[PostError]     `json:"error" doc:"The last failure."`
	Attempts       int                     `json:"attempts" doc:"Number of attempts to publish it."`
	NextAttemptAt  *Time                   `json:"next_attempt_at" nullable:"true" doc:"When the next attempt starts, while retrying or waiting for a platform limit."`
	FirstComment   Nullable[FirstComment]  `json:"first_comment" doc:"The comment that the account writes under the post after publication; null if none was requested."`
	Revision       *int64                  `json:"revision" doc:"Revision of the short whose content is published. Null if it is unknown."`
	Media          Nullable[PostMedia]     `json:"media" doc:"The files that are published, also if the short changed since. Null in lists."`
	Settings       Nullable[PostSettings]  `json:"settings" doc:"Platform settings of the post, completed with the brand's defaults, in the form of platform_customizations. Null in lists."`
	Tags           PostTags                `json:"tags" doc:"Tags for platforms that have a separate list of tags. Null in lists."`
	Warnings       []string                `json:"warnings" doc:"Settings that an accepted post does not follow, such as a cover that the platform rejected. Empty if there are none."`
	Approval       Approval                `json:"approval" doc:"Whether the post waits for an approver, and the last decision."`
	Edits          int64                   `json:"edits" doc:"Number of edits of the content since the post was accepted. A change of the time does not count."`
	BatchID        string                  `json:"batch_id" example:"batch-31" doc:"Id of the request, the same on all its posts."`
	CreatedAt      Time                    `json:"created_at" doc:"When the post was accepted."`
	UpdatedAt      Time                    `json:"updated_at" doc:"When the state last changed."`
	ArchivedAt     *Time                   `json:"archived_at" nullable:"true" doc:"When the post was archived with its short; null if it is not archived."`
}

// PostTags are the tags of a post. Nil is encoded as null.
type PostTags []string

// Schema permits null.
func (PostTags) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}, {Type: "null"}}}
}

// PostMedia are the files of a post.
type PostMedia struct {
	Kind      MediaKind `json:"kind" doc:"Kind of media of the post."`
	VideoURL  *string   `json:"video_url" format:"uri" doc:"Signed URL of the MP4, valid for 24 hours; null for a photo set."`
	ImageURLs []string  `json:"image_urls" doc:"Signed URLs of the photos, in order, valid for 24 hours. Empty for a video."`
	CoverURL  *string   `json:"cover_url" format:"uri" doc:"Signed URL of the image or photo that was chosen as the cover, valid for 24 hours; null if the cover is a frame of the video, or the platform chooses."`
}

// mediaOf returns the files of a post. A key for which sign returns an empty URL is omitted.
func mediaOf(m *v1beta1.PostMedia, sign Signer) (*PostMedia, error) {
	url := func(key string) (string, error) {
		if key == "" {
			return "", nil
		}
		return sign(key, catalog.LibraryURLValidity)
	}
	out := &PostMedia{Kind: MediaKind(m.Kind), ImageURLs: []string{}}
	video, err := url(m.VideoKey)
	if err != nil {
		return nil, err
	}
	out.VideoURL = nonEmpty(video)
	for _, key := range m.PhotoKeys {
		photo, err := url(key)
		if err != nil {
			return nil, err
		}
		if photo != "" {
			out.ImageURLs = append(out.ImageURLs, photo)
		}
	}
	cover, err := url(coverKey(m))
	if err != nil {
		return nil, err
	}
	out.CoverURL = nonEmpty(cover)
	return out, nil
}

// coverKey returns the key of the image that is the cover of a post; empty if there is none.
func coverKey(m *v1beta1.PostMedia) string {
	switch c := m.Cover; {
	case c == nil:
		return ""
	case c.Photo != nil && *c.Photo >= 0 && int(*c.Photo) < len(m.PhotoKeys):
		return m.PhotoKeys[*c.Photo]
	default:
		return c.ImageKey
	}
}

// Approval is the state of the approval of a post.
type Approval struct {
	Required bool                    `json:"required" doc:"Whether the post is published only after an approval: the brand requires it, and the publication has not started."`
	State    Nullable[ApprovalState] `json:"state" doc:"waiting: for an approver. returned: for an edit by the author. approved: the content as it is now. null: no approval is needed, and none was given."`
	Comment  *string                 `json:"comment" doc:"Comment of the last decision, also if the post was edited since."`
	By       *string                 `json:"by" doc:"The user or the API key of the last decision; null before it, and if the post was approved in the cluster."`
	At       *Time                   `json:"at" nullable:"true" doc:"Time of the last decision."`
}

// ApprovalState is the state of an approval.
type ApprovalState string

// Schema lists the states.
func (ApprovalState) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{
		string(posting.ApprovalWaiting), string(v1beta1.ApprovalReturned), string(v1beta1.ApprovalApproved),
	}}
}

func approvalOf(p *v1beta1.Post, brand *v1beta1.Brand) Approval {
	out := Approval{}
	state, required := posting.ApprovalOf(p, brand)
	out.Required = required
	if state != "" {
		s := ApprovalState(state)
		out.State.Value = &s
	}
	if a := p.Spec.Approval; a != nil {
		out.Comment, out.By, out.At = nonEmpty(a.Comment), nonEmpty(a.By), &Time{a.At.Time}
	}
	return out
}

// MediaKind is the kind of a post's media.
type MediaKind string

// Schema lists the kinds.
func (MediaKind) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{catalog.MediaVideo, catalog.MediaPhotoSet}}
}

// Cover is the cover of a post as sent.
type Cover struct {
	Slide    *int32 `json:"slide" doc:"The number of the chosen slide, from 1; null if none."`
	OffsetMS *int64 `json:"offset_ms" doc:"The moment of the video, in milliseconds from the start; null for an image and for a photo."`
	MediaID  *int64 `json:"media_id" doc:"The id of the chosen image; null if none."`
}

// coverOf returns the cover of a post; nil if the platform chooses.
func coverOf(settings *v1beta1.PostSettings, media *v1beta1.PostMedia) *Cover {
	out := Cover{}
	if settings != nil && settings.Cover != nil {
		out = Cover{Slide: settings.Cover.Slide, OffsetMS: settings.Cover.Offset(), MediaID: settings.Cover.MediaID}
	} else if settings != nil && settings.Instagram != nil {
		out.OffsetMS = settings.Instagram.CoverOffset()
	}
	if media.Cover != nil && media.Cover.Offset() != nil {
		out.OffsetMS = media.Cover.Offset()
	}
	if out == (Cover{}) {
		return nil
	}
	return &out
}

// Outgoing is what is published on one account.
type Outgoing struct {
	MediaKind Nullable[MediaKind] `json:"media_kind" doc:"Kind of media of the post; null if nothing can be posted."`
	Title     *string             `json:"title" doc:"Title as sent to the platform; null if none."`
	Caption   *string             `json:"caption" doc:"Caption as sent to the platform, including hashtags; null if none."`
	Cover     Nullable[Cover]     `json:"cover" doc:"Cover as sent to the platform; null if the platform chooses, usually the first frame or photo."`
}

// OutgoingOf returns what a post publishes.
func OutgoingOf(p *v1beta1.PostSpec) Outgoing {
	out := Outgoing{Title: nonEmpty(p.Title), Caption: nonEmpty(p.Caption)}
	if kind := MediaKind(p.Media.Kind); kind != "" {
		out.MediaKind.Value = &kind
		out.Cover.Value = coverOf(p.Settings, &p.Media)
	}
	return out
}

// OutgoingOfVerdict returns what would be published on an account.
func OutgoingOfVerdict(v *posting.Verdict) Outgoing {
	return OutgoingOf(&v1beta1.PostSpec{
		Media: v.Media, Title: v.Texts.Title, Caption: v.Texts.Caption, Settings: v.Effective,
	})
}

// FirstComment is the first comment under a post. It never changes the status of the post.
type FirstComment struct {
	State string              `json:"state" enum:"pending,published,failed,unknown" doc:"State of the comment. pending: not written yet, or its outcome is being looked up. unknown: the comment may exist, because the look-up returned no result; it is not sent again."`
	Text  *string             `json:"text" doc:"The comment. Null in lists."`
	ID    *string             `json:"id" doc:"The platform's id of the comment; null before it is published, or if the platform gives none."`
	Error Nullable[PostError] `json:"error" doc:"Why it failed, or why the last attempt failed."`
}

// firstCommentOf returns the first comment of a post in a state; nil if none was chosen. If the post failed or was
// cancelled before the comment was written, its state is failed.
func firstCommentOf(p *v1beta1.Post, state v1beta1.PostState) *FirstComment {
	if p.Spec.Settings == nil || p.Spec.Settings.FirstComment == nil {
		return nil
	}
	out, c := &FirstComment{State: "pending"}, p.Status.FirstComment
	switch {
	case c == nil && (state == v1beta1.PostFailed || state == v1beta1.PostCancelled):
		out.State = "failed"
		return out
	case c == nil:
		return out
	}
	if c.State.Final() {
		out.State = strings.ToLower(string(c.State))
	}
	out.ID = nonEmpty(c.ID)
	if c.Error != nil && c.State != v1beta1.CommentPublished {
		out.Error.Value = PostErrorOf(c.Error)
	}
	return out
}

// LogShort returns the id of the short in the response, for the log.
func (p Post) LogShort() int64 { return p.ShortID }

// Complete adds the content that lists omit: the files, the settings, the tags and the text of the first comment. of is
// the complete object, not one of the cache.
func (p *Post) Complete(of *v1beta1.Post, sign Signer) (err error) {
	if p.Media.Value, err = mediaOf(&of.Spec.Media, sign); err != nil {
		return fmt.Errorf("signing the files of a post: %w", err)
	}
	settings := PostSettingsOf(of.Spec.Settings)
	p.Settings.Value = &settings
	p.Tags = append(PostTags{}, of.Spec.Tags...)
	if p.FirstComment.Value != nil {
		p.FirstComment.Value.Text = settings.FirstComment
	}
	return nil
}

// PostOf returns the view of a post in a list, of a brand and its account; account may be nil.
func PostOf(id int64, p *v1beta1.Post, brand *v1beta1.Brand, accountID int64, account *v1beta1.SocialAccount, now time.Time) Post {
	st := &p.Status
	state := posting.State(p, now)
	out := Post{
		ID: id, ShortID: p.Spec.ShortID, Platform: PlatformName(p.Spec.Platform), Status: PostStatus(state), PostingMode: p.Spec.PostingMode,
		MediaKind: MediaKind(p.Spec.Media.Kind), Title: nonEmpty(p.Spec.Title), Caption: nonEmpty(p.Spec.Caption), PublishedAt: at(st.PublishedAt),
		PostURL: nonEmpty(st.PostURL), PlatformPostID: nonEmpty(st.PlatformPostID), Attempts: len(st.Attempts), BatchID: p.Spec.Batch,
		CreatedAt: Time{v1beta1.CreatedAt(p).Time}, UpdatedAt: Time{postUpdated(p)},
	}
	out.Cover.Value = coverOf(p.Spec.Settings, &p.Spec.Media)
	out.FirstComment.Value = firstCommentOf(p, state)
	out.Approval, out.Edits = approvalOf(p, brand), p.Edits()
	if p.Spec.Revision > 0 {
		out.Revision = &p.Spec.Revision
	}
	out.Warnings = append([]string{}, st.Warnings...)
	if account != nil && accountID != 0 {
		out.SocialDataID, out.AccountName = &accountID, nonEmpty(account.Status.AccountName)
	}
	if !p.Spec.Immediate {
		out.ScheduledAt = &Time{p.Spec.ScheduledAt.Time}
	}
	if st.DeliveryState != "" {
		d := DeliveryState(st.DeliveryState)
		out.DeliveryState.Value = &d
	}
	if st.Error != nil && state != v1beta1.PostSuccess && state != v1beta1.PostCancelled {
		out.Error.Value = PostErrorOf(st.Error)
	}
	if st.NextAttemptAt != nil && !state.Final() {
		out.NextAttemptAt = &Time{st.NextAttemptAt.Time}
	}
	return out
}

// PostErrorOf returns the view of an error in a Kubernetes object.
func PostErrorOf(e *v1beta1.WorkError) *PostError {
	out := &PostError{Code: ErrorCode(e.Code), Message: e.Message, Retryable: e.Retryable, Details: map[string]any{}}
	for k, v := range e.Details {
		out.Details[k] = detail(k, v)
	}
	return out
}

// postUpdated returns the time of the latest write of the post or change of its state.
func postUpdated(p *v1beta1.Post) time.Time {
	latest := v1beta1.CreatedAt(p).Time
	seen := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for _, m := range p.ManagedFields {
		if m.Time != nil {
			seen(m.Time.Time)
		}
	}
	for _, a := range p.Status.Attempts {
		seen(a.StartedAt.Time)
		if a.SettledAt != nil {
			seen(a.SettledAt.Time)
		}
	}
	if c := p.Status.FirstComment; c != nil {
		for _, t := range []*metav1.MicroTime{c.StartedAt, c.SettledAt} {
			if t != nil {
				seen(t.Time)
			}
		}
	}
	for _, t := range []*metav1.Time{p.Status.PublishedAt, p.Status.FinishedAt} {
		if t != nil {
			seen(t.Time)
		}
	}
	return latest
}

// BatchResult is the outcome of a request to post.
type BatchResult struct {
	ShortID       int64        `json:"short_id" example:"123" doc:"The short that is posted."`
	OverallStatus string       `json:"overall_status" enum:"success,partial,failed" doc:"success: all accounts were accepted. partial: some were; read the results."`
	Results       []PostResult `json:"results" doc:"One result for each account, in the order of the request."`
	BatchID       string       `json:"batch_id" example:"batch-31" doc:"Id of the request, the same on all its posts."`
}

// LogShort returns the id of the short in the response, for the log.
func (b BatchResult) LogShort() int64 { return b.ShortID }

// PostResult is the outcome for one account.
type PostResult struct {
	SocialDataID *int64       `json:"social_data_id" example:"9" doc:"The account; null if the platform has none."`
	Platform     PlatformName `json:"platform" doc:"The platform."`
	AccountName  *string      `json:"account_name" doc:"Display name of the account."`
	Outgoing
	ShareID     *int64     `json:"share_id" example:"512" doc:"The id of the post; null when this account failed."`
	Status      PostStatus `json:"status" doc:"pending, scheduled, draft (waiting for approval) or failed."`
	ScheduledAt *Time      `json:"scheduled_at" nullable:"true" doc:"Scheduled time; null for immediate publication."`
	Error       *PostError `json:"error,omitempty" doc:"Present when this account failed."`
}

// Validation is the result of validating a request to post.
type Validation struct {
	OK            bool                    `json:"ok" doc:"Whether all accounts would be accepted."`
	ShortID       int64                   `json:"short_id" example:"123" doc:"The short that would be posted."`
	ScheduledAt   *Time                   `json:"scheduled_at" nullable:"true" doc:"Scheduled time; null for immediate publication."`
	Issues        []PostIssue             `json:"issues" doc:"Issues of the short, the time, the brand's policy, platforms without an account, and unknown members."`
	Verdicts      []Verdict               `json:"verdicts" doc:"One verdict for each account, in the order of the request."`
	PlatformRules map[string]PlatformRule `json:"platform_rules" doc:"Rules of the requested platforms."`
}

// LogShort returns the id of the short in the response, for the log.
func (v Validation) LogShort() int64 { return v.ShortID }

// Verdict is the validation result for one account.
type Verdict struct {
	SocialDataID int64        `json:"social_data_id" example:"9" doc:"The account."`
	Platform     PlatformName `json:"platform" doc:"The platform of the account."`
	AccountName  *string      `json:"account_name" doc:"Display name of the account."`
	Outgoing
	TokenStatus TokenStatus `json:"token_status" doc:"Whether the platform still accepts the connection."`
	RateLimit   RateLimit   `json:"rate_limit" doc:"How many posts the account may still publish."`
	OK          bool        `json:"ok" doc:"Whether a post would be accepted: no issue has severity error."`
	Issues      []PostIssue `json:"issues" doc:"Issues of this account."`
}

// TokenStatus is the state of an account's token: whether the platform still accepts the connection.
type TokenStatus string

// Schema lists the statuses.
func (TokenStatus) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{"active", "expiring_soon", "expired", "revoked", "insufficient_scope"}}
}

// TokenStatusOf returns the token status of an account. An account without a status has just been connected and counts
// as active.
func TokenStatusOf(a *v1beta1.SocialAccount) TokenStatus {
	if a.Status.TokenStatus == "" {
		return TokenStatus(v1beta1.TokenActive)
	}
	return TokenStatus(a.Status.TokenStatus)
}

// RateLimit is the posting limit of an account, with the posts used and left in its window.
type RateLimit struct {
	Used      int    `json:"used" doc:"Posts that count toward the limit: those of this service, or the platform's own count if higher."`
	Max       int    `json:"max" doc:"Maximum number of posts within the window."`
	Remaining int    `json:"remaining" doc:"Number of remaining posts."`
	Limited   bool   `json:"limited" doc:"Whether posting is blocked now: the limit is reached, or the platform recently rejected a post."`
	ResetsAt  Time   `json:"resets_at" doc:"When at least one more post is possible."`
	Label     string `json:"label" example:"15 posts per 24 hours" doc:"Display text."`
}

// RateLimitOf returns the view of a posting limit.
func RateLimitOf(r posting.RateLimit) RateLimit {
	return RateLimit{Used: r.Used, Max: r.Max, Remaining: r.Remaining, Limited: r.Limited, ResetsAt: Time{wholeSecondsUp(r.ResetsAt)}, Label: r.Label}
}

// PostIssue is an error that prevents a post, or a warning that does not.
type PostIssue struct {
	Code      ErrorCode      `json:"code" doc:"Stable code for programs."`
	Message   string         `json:"message" doc:"Description for users; its wording may change."`
	Retryable bool           `json:"retryable" doc:"Whether the same request can succeed later."`
	Severity  string         `json:"severity" enum:"error,warning" doc:"error prevents the post; warning does not."`
	Details   map[string]any `json:"details" doc:"Machine-readable specifics, possibly empty."`
}

// PostIssues returns the views of issues.
func PostIssues(in []posting.Issue) []PostIssue {
	out := make([]PostIssue, 0, len(in))
	for _, i := range in {
		severity := "error"
		if i.Warning {
			severity = "warning"
		}
		out = append(out, PostIssue{Code: ErrorCode(i.Code), Message: i.Message, Retryable: i.Retryable, Severity: severity, Details: IssueDetails(&i)})
	}
	return out
}

// IssueDetails returns the details of an issue as encoded in responses.
func IssueDetails(i *posting.Issue) map[string]any {
	out := map[string]any{}
	for k, v := range i.Details {
		switch v := v.(type) {
		case time.Time:
			out[k] = Time{wholeSecondsUp(v)}
		case []string:
			out[k] = slices.Clone(v)
		default:
			out[k] = v
		}
	}
	return out
}

// wholeSecondsUp rounds a time up to whole seconds, so that the time at which an action becomes possible is not
// reported too early.
func wholeSecondsUp(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

// VerdictOf returns the view of a verdict on an account.
func VerdictOf(v *posting.Verdict) Verdict {
	return Verdict{
		SocialDataID: v.ID(), Platform: PlatformName(v.Platform), AccountName: nonEmpty(v.Account.Status.AccountName), Outgoing: OutgoingOfVerdict(v),
		TokenStatus: TokenStatusOf(v.Account), RateLimit: RateLimitOf(v.RateLimit), OK: v.OK(), Issues: PostIssues(v.Issues),
	}
}
