// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

// AutomationFields are the settings of an automation, in requests and responses.
type AutomationFields struct {
	Name                    string                   `json:"name,omitempty" maxLength:"200" doc:"Display name."`
	Paused                  *bool                    `json:"paused,omitempty" doc:"While true, no run starts, and runs that have started create nothing more. Default false."`
	Schedules               []string                 `json:"schedules,omitempty" minItems:"1" maxItems:"20" doc:"Cron expressions with five fields: the times at which posts go out. Required."`
	TimeZone                string                   `json:"time_zone,omitempty" maxLength:"64" example:"Europe/Paris" doc:"IANA name. Default: the brand's."`
	LeadTimeSeconds         *int32                   `json:"lead_time_seconds,omitempty" minimum:"0" maximum:"604800" doc:"How long before its time a post is created. Default 3600."`
	StartingDeadlineSeconds *int32                   `json:"starting_deadline_seconds,omitempty" minimum:"60" maximum:"21600" doc:"How late a run may start. Default 3600."`
	CatchUp                 string                   `json:"catch_up,omitempty" enum:"skip,latest_once" doc:"Rule for times that were missed, such as in an outage. Default skip."`
	ConcurrencyPolicy       string                   `json:"concurrency_policy,omitempty" enum:"forbid,allow" doc:"Whether a run starts while an earlier one creates its short or waits for an approval. Default forbid."`
	Source                  *AutomationSource        `json:"source,omitempty" doc:"Where the content comes from. Required."`
	Template                *AutomationTemplate      `json:"template,omitempty" doc:"The slideshow that a run creates. Required with the sources prompts and feed."`
	Publish                 *AutomationPublish       `json:"publish,omitempty" doc:"Where and how runs post. Required."`
	Approval                string                   `json:"approval,omitempty" enum:"inherit,always" doc:"always holds the posts of every run as drafts. Default inherit: the brand's policy."`
	OnApprovalTimeout       string                   `json:"on_approval_timeout,omitempty" enum:"skip,hold" doc:"Whether posts that are not approved at their time are cancelled or stay drafts. Default skip."`
	Budget                  *AutomationBudget        `json:"budget,omitempty" doc:"Limits for a calendar month in UTC. Default none."`
	Deduplication           *AutomationDeduplication `json:"deduplication,omitempty" doc:"How used items of a feed are recognized."`
	Stop                    *AutomationStop          `json:"stop,omitempty" doc:"Rules that end the automation. Default none."`
}

// AutomationSource is the source of an automation.
type AutomationSource struct {
	Type          string            `json:"type" enum:"prompts,feed,queue,evergreen" doc:"prompts: a list of texts. feed: the items of an RSS, Atom or JSON feed. queue: shorts with labels, the oldest first. evergreen: published shorts, again."`
	Prompts       []string          `json:"prompts,omitempty" maxItems:"500" doc:"Texts of the source prompts."`
	Order         string            `json:"order,omitempty" enum:"sequential,shuffled,oldest,views" doc:"Of prompts: sequential or shuffled. Of evergreen: oldest or views. Default sequential or oldest."`
	OnExhausted   string            `json:"on_exhausted,omitempty" enum:"repeat,stop" doc:"What follows the last prompt. Default repeat."`
	URL           string            `json:"url,omitempty" maxLength:"2000" doc:"Address of the feed."`
	Include       []string          `json:"include,omitempty" maxItems:"50" doc:"Only items of the feed with one of these words, phrases or /patterns/. Default: all."`
	Exclude       []string          `json:"exclude,omitempty" maxItems:"50" doc:"No items of the feed with one of these words, phrases or /patterns/."`
	MaxAgeHours   *int32            `json:"max_age_hours,omitempty" minimum:"1" maximum:"8784" doc:"Maximum age of an item of the feed. Default: any."`
	Labels        map[string]string `json:"labels,omitempty" doc:"Labels of the shorts of queue and evergreen."`
	CooldownHours *int32            `json:"cooldown_hours,omitempty" minimum:"1" maximum:"87840" doc:"Minimum time between two publications of a short by evergreen. Default 720."`
	MaxRepeats    *int32            `json:"max_repeats,omitempty" minimum:"1" maximum:"1000" doc:"How often evergreen publishes a short again. Default: no limit."`
}

// AutomationTemplate is the slideshow that a run creates.
type AutomationTemplate struct {
	Context     string  `json:"context" minLength:"1" maxLength:"5000" doc:"The context of the slideshow, with placeholders such as {{item.title}}."`
	SlideCount  int32   `json:"slide_count,omitempty" doc:"0 for automatic, otherwise 3 to 12. Default 0."`
	AspectRatio string  `json:"aspect_ratio,omitempty" enum:"9:16,4:5" doc:"Default: the brand's, else 9:16."`
	DesignStyle string  `json:"design_style,omitempty" maxLength:"64" doc:"Default: a style that the brand has not used recently."`
	ImageWorld  string  `json:"image_world,omitempty" maxLength:"64" doc:"Default: the brand's, else chosen by the texts."`
	Title       *string `json:"title,omitempty" maxLength:"200" doc:"May contain placeholders. Default: generated."`
	Caption     *string `json:"caption,omitempty" maxLength:"5000" doc:"May contain placeholders. Default: generated."`
	Language    string  `json:"language,omitempty" maxLength:"35" doc:"BCP 47. Default: the brand's, else the context's."`
}

// AutomationPublish is where and how runs post.
type AutomationPublish struct {
	SocialDataIDs []int64  `json:"social_data_ids,omitempty" maxItems:"50" doc:"Accounts to post to. Either this or platforms is required."`
	Platforms     []string `json:"platforms,omitempty" maxItems:"4" doc:"All accounts of the brand on each platform."`
	PostingMode   string   `json:"posting_mode,omitempty" enum:"direct,draft" doc:"Default direct."`
	Media         string   `json:"media,omitempty" enum:"auto,video,photo_set" doc:"Default auto."`
	Title         *string  `json:"title,omitempty" maxLength:"10000" doc:"May contain placeholders. Default: the short's."`
	Caption       *string  `json:"caption,omitempty" maxLength:"10000" doc:"May contain placeholders. Default: the short's."`
	AutoAddMusic  bool     `json:"auto_add_music,omitempty" doc:"Lets TikTok add music to a photo set. Default false."`
}

// AutomationBudget limits what runs use in a month.
type AutomationBudget struct {
	RunsPerMonth    *int32 `json:"runs_per_month,omitempty" minimum:"1" maximum:"100000" doc:"Default: no limit."`
	CreditsPerMonth *int32 `json:"credits_per_month,omitempty" minimum:"1" doc:"Credits for AI images. Default: no limit."`
}

// AutomationDeduplication selects how a used item is recognized.
type AutomationDeduplication struct {
	By         string `json:"by,omitempty" enum:"item,text" doc:"item: the same id. text: also similar words. Default item."`
	WindowDays int32  `json:"window_days,omitempty" minimum:"1" maximum:"365" doc:"How long an item is not used again. Default 90."`
}

// AutomationStop are the rules that end an automation.
type AutomationStop struct {
	AfterFailures *int32     `json:"after_failures,omitempty" minimum:"1" maximum:"100" doc:"Number of consecutive failed runs."`
	At            *time.Time `json:"at,omitempty" doc:"Times at and after this do not run."`
	AfterRuns     *int64     `json:"after_runs,omitempty" minimum:"1" doc:"Total number of runs."`
}

// AutomationCondition is one observation about an automation.
type AutomationCondition struct {
	Type    string `json:"type" doc:"Name of the condition, such as source_reachable."`
	Status  bool   `json:"status" doc:"Whether the condition is true."`
	Reason  string `json:"reason" doc:"Reason as a code for programs."`
	Message string `json:"message" doc:"One sentence with what to do."`
}

// Automation is an automation with its state.
type Automation struct {
	ID int64 `json:"id" example:"5" doc:"The id of the automation."`
	AutomationFields
	Ready            bool                  `json:"ready" doc:"Whether runs start at their times."`
	StatusMessage    string                `json:"status_message" doc:"One sentence about the state."`
	Conditions       []AutomationCondition `json:"conditions" doc:"Observations about the automation."`
	NextTimes        []Time                `json:"next_times" doc:"The next three times at which posts go out."`
	LastScheduledAt  *Time                 `json:"last_scheduled_at" nullable:"true" doc:"Time for which a run started last."`
	LastSuccessfulAt *Time                 `json:"last_successful_at" nullable:"true" doc:"When a run succeeded last."`
	ActiveRuns       []string              `json:"active_runs" doc:"Ids of runs that have not ended: at most 20."`
	Runs             int64                 `json:"runs" doc:"Number of runs that have started."`
	CreatedAt        Time                  `json:"created_at" doc:"When the automation was created."`
}

// AutomationOf returns the view of an automation. accounts are the ids of the accounts that it names.
func AutomationOf(id int64, a *v1beta1.Automation, accounts []int64) *Automation {
	st := &a.Status
	out := &Automation{
		ID: id, AutomationFields: AutomationFieldsOf(a, accounts), Conditions: []AutomationCondition{}, NextTimes: []Time{},
		LastScheduledAt: at(st.LastScheduleTime), LastSuccessfulAt: at(st.LastSuccessfulTime),
		ActiveRuns: append([]string{}, st.Active...), Runs: st.Runs, CreatedAt: Time{v1beta1.CreatedAt(a).Time},
		StatusMessage: "The automation is being set up",
	}
	for _, t := range st.NextTimes {
		out.NextTimes = append(out.NextTimes, Time{t.Time})
	}
	for _, c := range st.Conditions {
		if c.Type == string(v1beta1.ConditionReady) {
			out.Ready, out.StatusMessage = c.Status == metav1.ConditionTrue && !a.Spec.Suspend, c.Message
			continue
		}
		out.Conditions = append(out.Conditions, AutomationCondition{
			Type: Snake(c.Type), Status: c.Status == metav1.ConditionTrue, Reason: Snake(c.Reason), Message: c.Message,
		})
	}
	return out
}

// AutomationFieldsOf returns the settings of an automation. accounts are the ids of the accounts that it names.
func AutomationFieldsOf(a *v1beta1.Automation, accounts []int64) AutomationFields {
	s := &a.Spec
	out := AutomationFields{
		Name: first(s.DisplayName, a.Name), Paused: ptr.To(s.Suspend), Schedules: s.Schedules, TimeZone: s.TimeZone,
		LeadTimeSeconds: ptr.To(ptr.Deref(s.LeadTimeSeconds, 3600)), StartingDeadlineSeconds: ptr.To(s.StartingDeadlineSeconds),
		CatchUp: Snake(string(s.CatchUp)), ConcurrencyPolicy: Snake(string(s.ConcurrencyPolicy)),
		Source: automationSourceOf(&s.Source), Approval: Snake(s.Approval), OnApprovalTimeout: Snake(s.OnApprovalTimeout),
		Deduplication: &AutomationDeduplication{By: Snake(s.Deduplication.By), WindowDays: s.Deduplication.WindowDays},
		Publish: &AutomationPublish{
			SocialDataIDs: accounts, PostingMode: s.Publish.PostingMode, Media: s.Publish.Media, Title: s.Publish.Title,
			Caption: s.Publish.Caption, AutoAddMusic: s.Publish.AutoAddMusic,
		},
	}
	for _, p := range s.Publish.Platforms {
		out.Publish.Platforms = append(out.Publish.Platforms, string(p))
	}
	if t := s.Template; t != nil && t.Slideshow != nil {
		t := t.Slideshow
		out.Template = &AutomationTemplate{
			Context: t.Context, SlideCount: t.SlideCount, AspectRatio: t.AspectRatio, DesignStyle: t.DesignStyle, ImageWorld: t.ImageWorld,
			Title: t.Title, Caption: t.Caption, Language: t.Language,
		}
	}
	if b := s.Budget; b != nil {
		out.Budget = &AutomationBudget{RunsPerMonth: b.RunsPerMonth, CreditsPerMonth: b.CreditsPerMonth}
	}
	if st := s.Stop; st != nil {
		out.Stop = &AutomationStop{AfterFailures: st.AfterFailures, AfterRuns: st.AfterRuns}
		if st.At != nil {
			out.Stop.At = ptr.To(st.At.UTC())
		}
	}
	return out
}

func automationSourceOf(s *v1beta1.AutomationSource) *AutomationSource {
	switch {
	case s.Prompts != nil:
		out := &AutomationSource{Type: "prompts", Order: Snake(s.Prompts.Order), OnExhausted: Snake(s.Prompts.OnExhausted)}
		for _, p := range s.Prompts.Items {
			out.Prompts = append(out.Prompts, p.Text)
		}
		return out
	case s.Feed != nil:
		return &AutomationSource{Type: "feed", URL: s.Feed.URL, Include: s.Feed.Include, Exclude: s.Feed.Exclude, MaxAgeHours: s.Feed.MaxAgeHours}
	case s.Queue != nil:
		return &AutomationSource{Type: "queue", Labels: s.Queue.Selector.MatchLabels}
	case s.Evergreen != nil:
		out := &AutomationSource{
			Type: "evergreen", CooldownHours: ptr.To(s.Evergreen.CooldownHours), MaxRepeats: s.Evergreen.MaxRepeats, Order: Snake(s.Evergreen.Order),
		}
		if s.Evergreen.Selector != nil {
			out.Labels = s.Evergreen.Selector.MatchLabels
		}
		return out
	}
	return nil
}

// AutomationItem is the item of a source that a run uses.
type AutomationItem struct {
	ID    string  `json:"id" doc:"Position of the prompt, id of the item in the feed, or kind and name of a short."`
	Title string  `json:"title" doc:"Title of the item, or the text of the prompt."`
	Link  *string `json:"link" nullable:"true" doc:"Address of the item of a feed."`
}

// AutomationItemOf returns the view of an item.
func AutomationItemOf(i *v1beta1.AutomationItem) AutomationItem {
	return AutomationItem{ID: i.ID, Title: i.Title, Link: nonEmpty(i.Link)}
}

// AutomationRun is one run of an automation.
type AutomationRun struct {
	ID            string                   `json:"id" example:"automation-5-29929020" doc:"The id of the run."`
	Status        string                   `json:"status" enum:"pending,creating,awaiting_approval,scheduled,succeeded,failed,missed,skipped" doc:"State of the run. The last four are final."`
	StatusMessage string                   `json:"status_message" doc:"One sentence about the state."`
	ScheduledAt   Time                     `json:"scheduled_at" doc:"When the posts go out."`
	Manual        bool                     `json:"manual" doc:"Whether a user requested the run."`
	Item          Nullable[AutomationItem] `json:"item" doc:"The item that the run uses; null before it is chosen."`
	ShortID       *int64                   `json:"short_id" nullable:"true" doc:"The short that the run publishes."`
	PostIDs       []int64                  `json:"post_ids" doc:"The posts of the run."`
	Credits       int32                    `json:"credits" doc:"Credits that AI images have cost."`
	StartedAt     *Time                    `json:"started_at" nullable:"true" doc:"When the item was chosen."`
	FinishedAt    *Time                    `json:"finished_at" nullable:"true" doc:"When the run ended."`
}

// AutomationRunOf returns the view of a run.
func AutomationRunOf(r *v1beta1.AutomationRun) AutomationRun {
	st := &r.Status
	out := AutomationRun{
		ID: r.Name, Status: first(Snake(string(st.State)), "pending"), StatusMessage: "The run has not started", ScheduledAt: Time{r.Spec.ScheduledAt.Time},
		Manual: r.Spec.Manual, PostIDs: []int64{}, Credits: st.Credits, StartedAt: at(st.StartedAt), FinishedAt: at(st.FinishedAt),
	}
	if c := meta.FindStatusCondition(st.Conditions, string(v1beta1.ConditionReady)); c != nil {
		out.StatusMessage = c.Message
	}
	if st.Item != nil {
		out.Item.Value = ptr.To(AutomationItemOf(st.Item))
	}
	if st.ShortID > 0 {
		out.ShortID = ptr.To(st.ShortID)
	}
	for i := range st.Posts {
		if id := st.Posts[i].PostID; id > 0 {
			out.PostIDs = append(out.PostIDs, id)
		}
	}
	return out
}

// AutomationPreview is what an automation would do.
type AutomationPreview struct {
	NextTimes    []Time           `json:"next_times" doc:"The next five times at which posts would go out."`
	Items        []AutomationItem `json:"items" doc:"The items of the next runs, at most five."`
	ItemsMessage *string          `json:"items_message" nullable:"true" doc:"Why there are fewer items than times."`
}

// Snake returns a constant of the kinds, such as LatestOnce, in the spelling of the API: latest_once.
func Snake(s string) string {
	var out strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// Camel is the inverse of Snake.
func Camel(s string) string {
	var out strings.Builder
	for _, part := range strings.Split(s, "_") {
		if part != "" {
			out.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return out.String()
}
