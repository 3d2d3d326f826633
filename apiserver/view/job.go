// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/renders"
)

// JobKind is the kind of a job.
type JobKind string

// Schema lists the kinds.
func (JobKind) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: strings2any([]string{catalog.JobSlideshow, catalog.JobRender, catalog.JobVideo})}
}

// JobStatus is the state of a job.
type JobStatus string

// Schema lists the states.
func (JobStatus) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: []any{
		string(v1beta1.WorkQueued), string(v1beta1.WorkProcessing), string(v1beta1.WorkSucceeded), string(v1beta1.WorkFailed),
	}}
}

// Job is the newest work on a short.
type Job struct {
	JobID                 int64      `json:"job_id" doc:"Equals the short id." example:"123"`
	Kind                  JobKind    `json:"kind" doc:"Kind of the work."`
	Status                JobStatus  `json:"status" doc:"Poll until it is succeeded or failed."`
	StatusMessage         string     `json:"status_message" doc:"Status as a sentence for users." example:"Writing and laying out the slides."`
	PollAfterSeconds      int        `json:"poll_after_seconds" doc:"Seconds to wait between polls: the usual duration of such work on this installation, less the elapsed time. At least 1, at most 15 for slides and 30 for videos. The same value as the Retry-After header." example:"15"`
	Progress              int        `json:"progress" minimum:"0" maximum:"100" doc:"Progress in percent, partly estimated from the usual duration; 100 only when succeeded."`
	Attempt               int32      `json:"attempt" minimum:"1" doc:"Number of the attempt at the same work."`
	CreatedAt             Time       `json:"created_at" doc:"When the work was requested."`
	StartedAt             *Time      `json:"started_at" nullable:"true" doc:"When a worker started it."`
	FinishedAt            *Time      `json:"finished_at" nullable:"true" doc:"When it succeeded or failed."`
	RenderRequestedAt     *Time      `json:"render_requested_at" nullable:"true" doc:"When the render was requested; null for other kinds."`
	EstimatedCompletionAt *Time      `json:"estimated_completion_at,omitempty" doc:"Present while the work is in flight."`
	Result                *JobResult `json:"result,omitempty" doc:"Present when the work succeeded."`
	Error                 *JobError  `json:"error,omitempty" doc:"Present when the work failed."`
}

// LogShort returns the id of the short in the response, for the log.
func (j Job) LogShort() int64 { return j.JobID }

// JobResult is the result of a job.
type JobResult struct {
	ShortID    int64   `json:"short_id" example:"123" doc:"The id of the short."`
	PreviewURL string  `json:"preview_url" format:"uri" doc:"An image of all slides, or of the beginning of the video. The URL needs no key and is valid for 7 days."`
	VideoURL   *string `json:"video_url" format:"uri" doc:"URL of the MP4, set when a render succeeded. The URL needs no key and is valid for 7 days. The job of a render keeps its video after an edit of the slides; render_status of the short reports whether the video is stale."`
	// CaptionsURL is null for videos without speech.
	CaptionsURL *string   `json:"captions_url" format:"uri" doc:"Captions of the speech in the video as WebVTT; null without speech. The URL needs no key and is valid for 7 days."`
	Slides      SlideInfo `json:"slides"`
}

// SlideInfo counts slides.
type SlideInfo struct {
	Count int `json:"count" example:"7" doc:"Number of slides; 0 for a hook-and-demo video."`
}

// JobError is the reason why a job failed.
type JobError struct {
	Code      ErrorCode      `json:"code" doc:"Stable code for programs."`
	Message   string         `json:"message" doc:"Description for users; its wording may change."`
	Retryable bool           `json:"retryable" doc:"Whether the same request can succeed later."`
	Details   map[string]any `json:"details" doc:"Machine-readable specifics, possibly empty."`
}

// Signer returns a signed URL of a blob that is valid for the given time.
type Signer func(key string, valid time.Duration) (string, error)

// work is the newest work on a short, with data that is not in its record.
type work struct {
	*v1beta1.ShortJob
	percent int
	usual   time.Duration // usual duration from start to end, as measured here; 0 if unknown
}

// record returns the newest work on the short; nil for a draft.
func (s *Short) record() *v1beta1.ShortJob {
	if s.Video != nil {
		return renders.JobOfVideo(s.Video)
	}
	return renders.Job(s.Show, s.Renders)
}

// HasJob reports whether any work was ever requested: a suspended draft has none.
func (s *Short) HasJob() bool { return s.record() != nil }

// Job returns the newest work on the short. The short must have a job; see HasJob.
func (s *Short) Job(now time.Time) (*Job, error) {
	w := work{ShortJob: s.record()}
	w.percent = s.percent(w.ShortJob)
	if s.Usual != nil {
		w.usual = s.Usual(w.Kind)
	}
	j := &Job{
		JobID: s.ID, Kind: JobKind(w.Kind), Status: JobStatus(w.State), Attempt: w.Attempt, CreatedAt: Time{w.RequestedAt.Time},
		StartedAt: at(w.StartedAt), FinishedAt: at(w.FinishedAt), PollAfterSeconds: int(w.pollAfter(now) / time.Second),
	}
	if w.Kind == catalog.JobRender {
		j.RenderRequestedAt = &j.CreatedAt
	}
	switch w.State {
	case v1beta1.WorkSucceeded:
		j.Progress, j.StatusMessage = 100, "Ready."
		if s.Show != nil {
			if say := deck.ShortfallMessage(s.Show.Status.Text); say != "" {
				j.StatusMessage = "Ready. " + say + "."
			}
			if w := s.VoiceWarning(); w != nil {
				j.StatusMessage += " " + w.Message
			}
		}
		var err error
		j.Result, err = s.result(w.Kind)
		return j, err
	case v1beta1.WorkFailed:
		j.Progress = w.percent
		j.Error = jobError(w.Error)
		j.StatusMessage = "Failed: " + j.Error.Message
	default:
		j.Progress, j.StatusMessage = max(w.percent, w.elapsedPercent(now)), inFlight(w.Kind, w.State)
		if say := s.awaitsModel(); say != "" && w.State == v1beta1.WorkQueued && w.Kind != catalog.JobRender {
			j.StatusMessage = say + "."
		}
		j.EstimatedCompletionAt = &Time{w.estimate(now)}
	}
	return j, nil
}

// result returns the result of succeeded work of a kind. A render job keeps its video when the slides are edited later.
func (s *Short) result(kind string) (*JobResult, error) {
	out := &JobResult{ShortID: s.ID}
	film := s.film()
	var preview, captions string
	if s.Video != nil {
		preview, captions = s.Video.Status.PosterKey, s.Video.Status.CaptionsKey
	} else {
		preview, captions = s.Show.Status.PreviewKey, s.captionsKey()
		out.Slides.Count = len(s.Show.Status.Slides)
		if v := renders.Video(s.Show, s.Renders); kind == catalog.JobRender && v != nil {
			film = &v.RenderOutput
		}
	}
	var err error
	if out.PreviewURL, err = s.url(preview); err != nil {
		return nil, err
	}
	if film != nil {
		if out.VideoURL, err = s.address(film.BlobKey); err != nil {
			return nil, err
		}
	}
	out.CaptionsURL, err = s.address(captions)
	return out, err
}

// AwaitsRender returns the job of a slideshow whose render the controller is about to create; nil for any other.
func (s *Short) AwaitsRender() *v1beta1.ShortJob {
	if j := s.record(); !s.Edited && renders.Awaited(j) {
		return j
	}
	return nil
}

// percent returns the progress of work. Slideshows and videos are measured by their finished parts, renders as the
// renderer reports.
func (s *Short) percent(j *v1beta1.ShortJob) int {
	rendered := 0
	for i := range s.Renders {
		if s.Renders[i].Name == j.Render {
			rendered = renders.Percent(&s.Renders[i])
		}
	}
	switch j.Kind {
	case catalog.JobRender:
		return rendered
	case catalog.JobVideo:
		return s.videoPercent(rendered)
	}
	return s.generationPercent()
}

// generationPercent returns the progress by the recorded steps: started, written.
func (s *Short) generationPercent() int {
	w := s.Show.Status.Work
	switch {
	case w == nil || w.State == v1beta1.WorkQueued:
		return 0
	case s.Show.Status.Text != nil || len(s.Show.Spec.Slides) > 0:
		return 50
	}
	return 10
}

// Assumed durations from request to end, until durations have been measured.
const (
	unmeasuredGeneration = 20 * time.Second
	unmeasuredRender     = time.Minute
	unmeasuredVideo      = 90 * time.Second
)

// pollAfter returns the wait until the next poll in whole seconds, at most catalog.PollAfter. It is the rest of the
// usual duration, but at least a quarter of it.
func (w *work) pollAfter(now time.Time) time.Duration {
	most := catalog.PollAfter(w.Kind)
	if w.usual == 0 {
		return most
	}
	left := w.usual
	if began := w.began(); began != nil {
		left = max(w.usual-now.Sub(*began), w.usual/4)
	}
	whole := (left + time.Second - 1).Truncate(time.Second)
	return min(max(whole, time.Second), most)
}

// began returns the start of work in progress; nil otherwise.
func (w *work) began() *time.Time {
	if w.State != v1beta1.WorkProcessing || w.StartedAt == nil {
		return nil
	}
	return &w.StartedAt.Time
}

// elapsedPercent returns the elapsed part of the usual duration since the work began, at most 95; 0 if either is
// unknown.
func (w *work) elapsedPercent(now time.Time) int {
	began := w.began()
	if began == nil || w.usual == 0 {
		return 0
	}
	return int(min(max(100*now.Sub(*began)/w.usual, 0), 95))
}

// estimate returns the estimated end of the work, always after now: pollers use it as the time of their next call.
func (w *work) estimate(now time.Time) time.Time {
	if w.usual > 0 {
		t := now.Add(w.usual)
		if began := w.began(); began != nil {
			t = began.Add(w.usual)
		}
		return later(t, now.Add(w.pollAfter(now)))
	}
	usual := unmeasuredGeneration
	switch w.Kind {
	case catalog.JobRender:
		usual = unmeasuredRender
	case catalog.JobVideo:
		usual = unmeasuredVideo
	}
	t := w.RequestedAt.Add(usual)
	if w.EstimatedCompletionAt != nil {
		t = w.EstimatedCompletionAt.Time
	}
	return later(t, now.Add(5*time.Second))
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// awaitsModel returns the message of the condition that the short waits for a text model; empty if it does not.
func (s *Short) awaitsModel() string {
	var all []metav1.Condition
	if s.Video != nil {
		all = s.Video.Status.Conditions
	} else {
		all = s.Show.Status.Conditions
	}
	if c := deck.AwaitsModel(all); c != nil {
		return c.Message
	}
	return ""
}

func inFlight(kind string, state v1beta1.WorkState) string {
	switch {
	case state == v1beta1.WorkQueued:
		return "Waiting for a free worker."
	case kind == catalog.JobRender:
		return "Rendering the video."
	case kind == catalog.JobVideo:
		return "Building the video."
	}
	return "Writing and laying out the slides."
}

func jobError(e *v1beta1.WorkError) *JobError {
	if e == nil {
		known, _ := catalog.LookupError(catalog.GenerationFailed)
		return &JobError{Code: ErrorCode(known.Code), Message: known.Message, Retryable: known.Retryable, Details: map[string]any{}}
	}
	out := &JobError{Code: ErrorCode(e.Code), Message: e.Message, Retryable: e.Retryable, Details: map[string]any{}}
	for k, v := range e.Details {
		out.Details[k] = detail(k, v)
	}
	return out
}

// numbers lists the details that are integers in the API. Kubernetes objects hold all details as text.
var numbers = []string{"slide_id", "limit", "used", "remaining", "credits_required", "current_credits", "max", "length", "social_data_id"}

func detail(name, value string) any {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && slices.Contains(numbers, name) {
		return n
	}
	return value
}

// ErrorCode is a code of the error catalog.
type ErrorCode string

// Schema lists the codes.
func (ErrorCode) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: strings2any(catalog.ErrorCodes())}
}
