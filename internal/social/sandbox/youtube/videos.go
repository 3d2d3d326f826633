// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// video is an existing video. The platform's lock guards it.
type video struct {
	id      string
	account sandbox.Account
	// file is nil for a video created outside the API.
	file     *sandbox.File
	uploaded time.Time
	// published is when the video first became public.
	published time.Time
	publishAt time.Time
	snippet   snippet
	status    status
	privacy   string
	fileName  string
	// notify reports whether the uploader wants the subscribers to be notified. notifiedAt is when they were notified:
	// zero until the video is public for the first time.
	notify     bool
	notifiedAt time.Time
	// locked keeps the video private regardless of requests. locksAt is when the lock begins; zero if it never does.
	locked, verified bool
	locksAt          time.Time
	// picture is the custom thumbnail; empty if there is none.
	picture picture
	// comments are top-level comments, oldest first.
	comments []*comment
	// outcome is the fault that a script applies to processing.
	outcome *sandbox.Fault
	film    *film
}

// film is the result of processing.
type film struct {
	probe *sandbox.Probe
	// failure and rejection are the reasons of an unsuccessful result.
	failure, rejection string
}

// codecs that YouTube supports.
var codecs = []string{"h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mpeg2video", "prores"}

// longest is the maximum duration of a video for channels that are not verified.
const longest = 15 * time.Minute

// look processes the file once and caches the result. The caller holds the lock.
func (v *video) look() *film {
	if v.film != nil {
		return v.film
	}
	f := &film{}
	if v.file == nil {
		v.film = f
		return f
	}
	probe, err := v.file.Probe(context.Background())
	switch {
	case v.outcome != nil && v.outcome.Do == sandbox.Reject:
		f.rejection = or(v.outcome.Code, "inappropriate")
	case v.outcome != nil:
		f.failure = or(v.outcome.Code, "conversion")
	case v.file.Size() == 0:
		f.failure = "emptyFile"
	case err != nil:
		f.failure = "invalidFile"
	case !slices.Contains(codecs, probe.VideoCodec):
		f.failure = "codec"
	case probe.Duration > longest && !v.verified:
		f.rejection = "length"
	}
	f.probe = probe
	v.film = f
	return f
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// isShort reports whether YouTube shows the video as a Short.
func (v *video) isShort() bool {
	p := v.look().probe
	return v.file == nil || p != nil && p.Width <= p.Height && p.Duration.Truncate(time.Millisecond) <= 3*time.Minute
}

// url returns the public address of a video.
func (p *Platform) url(v *video) string {
	if v.isShort() {
		return p.core.URL(name, "/shorts/"+v.id)
	}
	return p.core.URL(name, "/watch?v="+url.QueryEscape(v.id))
}

// land records the video in the sandbox, unless processing failed. The caller holds the lock.
func (p *Platform) land(v *video, at time.Time) error {
	if v.privacy == sandbox.Public && v.published.IsZero() {
		v.published = at
		if v.notify {
			v.notifiedAt = at
		}
	}
	if p.rules.Unverified && v.privacy != sandbox.Private && v.locksAt.IsZero() {
		v.locksAt = at.Add(p.rules.LocksAfter)
		p.locking = append(p.locking, v)
	}
	if f := v.look(); f.failure != "" || f.rejection != "" {
		return nil // nothing can be watched, even by the owner
	}
	visibility := sandbox.Private
	if v.privacy == sandbox.Public {
		visibility = sandbox.Public
	}
	return p.core.Land(sandbox.Landing{
		Platform: name, Account: v.account.Name, Kind: "video", Visibility: visibility, Title: v.snippet.Title, Caption: v.snippet.Description, At: at,
		ID: v.id, URL: p.url(v), File: v.file,
	})
}

// remember adds a video of an earlier run, or one created in YouTube's own app.
func (p *Platform) remember(l sandbox.Landing) {
	a, ok := p.core.AccountByName(name, l.Account)
	if !ok {
		return
	}
	v := &video{
		id: l.ID, account: a, file: l.File, uploaded: l.At, fileName: "unknown", snippet: snippet{Title: l.Title, Description: l.Caption, CategoryID: "22"},
		privacy: l.Visibility,
	}
	if v.privacy == sandbox.Public {
		v.published = l.At
	}
	p.add(v)
}

// setPrivacy changes the visibility of a video. The caller holds the lock.
func (p *Platform) setPrivacy(v *video, to string, at time.Time) error {
	if v.locked {
		to = sandbox.Private
	}
	if v.privacy == to {
		return nil
	}
	v.privacy = to
	return p.land(v, at)
}

var videoParts = []string{"id", "snippet", "status", "contentDetails", "statistics", "processingDetails", "fileDetails", "player", "localizations", "recordingDetails", "suggestions", "topicDetails"}

// list returns videos: the caller's own, and public and unlisted ones of others.
func (p *Platform) list(w http.ResponseWriter, r request) {
	parts, e := partsOf(r, videoParts...)
	var ids []string
	if e == nil {
		ids, e = idsOf(r)
	}
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	items := []map[string]any{}
	for _, id := range ids {
		v := p.videos[id]
		if v == nil {
			continue
		}
		own := v.account.Name == r.account.Name
		if !own && v.privacy == sandbox.Private {
			continue
		}
		if !own && (slices.Contains(parts, "processingDetails") || slices.Contains(parts, "fileDetails")) {
			p.mu.Unlock()
			reason(http.StatusForbidden, "forbidden", "The request cannot access user rating information or details of files. This error may occur because the request is not properly authorized.").write(w)
			return
		}
		items = append(items, p.show(v, parts, own))
	}
	p.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{
		"kind": "youtube#videoListResponse", "etag": sandbox.Letters(27), "items": items,
		"pageInfo": map[string]int{"totalResults": len(items), "resultsPerPage": len(items)},
	})
}

// show returns the requested parts of a video. The caller holds the lock.
func (p *Platform) show(v *video, parts []string, own bool) map[string]any {
	now := p.core.Now()
	done := !now.Before(v.uploaded.Add(p.core.Processing()))
	out := map[string]any{"kind": "youtube#video", "etag": sandbox.Letters(27), "id": v.id}
	for _, part := range parts {
		switch part {
		case "snippet":
			out[part] = v.showSnippet()
		case "status":
			out[part] = v.showStatus(done)
		case "contentDetails":
			if d, known := v.duration(); done && known {
				out[part] = map[string]any{"duration": isoDuration(d), "dimension": "2d", "definition": "hd", "caption": "false", "licensedContent": false, "projection": "rectangular"}
			}
		case "statistics":
			out[part] = p.counters(v, now)
		case "processingDetails":
			if own {
				out[part] = v.showProcessing(done)
			}
		case "fileDetails":
			if own {
				d := map[string]any{"fileName": v.fileName, "fileType": "video"}
				if v.file != nil {
					d["fileSize"] = strconv.FormatInt(v.file.Size(), 10)
				}
				if f := v.look(); f.probe != nil {
					d["durationMs"], d["container"] = strconv.FormatInt(f.probe.Duration.Milliseconds(), 10), f.probe.Format
				}
				out[part] = d
			}
		}
	}
	return out
}

// duration returns the duration of the video and reports whether it is known.
func (v *video) duration() (time.Duration, bool) {
	switch f := v.look(); {
	case f.probe != nil:
		return f.probe.Duration, true
	case v.file == nil:
		return v.length(), true
	}
	return 0, false
}

// since returns the time by which the uploads playlist is sorted: of the publication, or of the upload if it was never
// public.
func (v *video) since() time.Time {
	if !v.published.IsZero() {
		return v.published
	}
	return v.uploaded
}

// thumbnails returns the avatar as a placeholder, because the sandbox extracts no frames.
func (v *video) thumbnails() map[string]any {
	out := map[string]any{}
	for name, size := range map[string][2]int{"default": {120, 90}, "medium": {320, 180}, "high": {480, 360}} {
		out[name] = map[string]any{"url": v.account.Avatar, "width": size[0], "height": size[1]}
	}
	return out
}

func (v *video) showSnippet() map[string]any {
	s := map[string]any{
		"title": v.snippet.Title, "description": v.snippet.Description, "categoryId": v.snippet.CategoryID, "publishedAt": v.since().Format(time.RFC3339),
		"thumbnails": v.thumbnails(),
		"channelId":  v.account.ID, "channelTitle": v.account.Display, "liveBroadcastContent": "none",
	}
	if len(v.snippet.Tags) > 0 {
		s["tags"] = v.snippet.Tags
	}
	if v.snippet.DefaultLanguage != "" {
		s["defaultLanguage"] = v.snippet.DefaultLanguage
	}
	return s
}

func (v *video) showStatus(done bool) map[string]any {
	s := map[string]any{
		"uploadStatus": "uploaded", "privacyStatus": v.privacy, "license": or(v.status.License, "youtube"), "embeddable": v.status.Embeddable == nil || *v.status.Embeddable,
		"publicStatsViewable": v.status.PublicStats == nil || *v.status.PublicStats, "madeForKids": v.status.MadeForKids != nil && *v.status.MadeForKids,
	}
	if v.status.MadeForKids != nil {
		s["selfDeclaredMadeForKids"] = *v.status.MadeForKids
	}
	if x := raw(v.status.Synthetic); x != nil {
		s["containsSyntheticMedia"] = x
	}
	if !v.publishAt.IsZero() {
		s["publishAt"] = v.publishAt.UTC().Format(time.RFC3339)
	}
	if !done {
		return s
	}
	switch f := v.look(); {
	case f.failure != "":
		s["uploadStatus"], s["failureReason"] = "failed", f.failure
	case f.rejection != "":
		s["uploadStatus"], s["rejectionReason"] = "rejected", f.rejection
	default:
		s["uploadStatus"] = "processed"
	}
	return s
}

func (v *video) showProcessing(done bool) map[string]any {
	switch {
	case !done:
		return map[string]any{"processingStatus": "processing", "processingProgress": map[string]string{"partsTotal": "100", "partsProcessed": "40", "timeLeftMs": "1000"}}
	case v.look().failure != "":
		return map[string]any{"processingStatus": "failed", "processingFailureReason": "transcodeFailed"}
	}
	return map[string]any{"processingStatus": "succeeded"}
}

// isoDuration formats a duration as PT#M#S.
func isoDuration(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 60 {
		return fmt.Sprintf("PT%dS", s)
	}
	return fmt.Sprintf("PT%dM%dS", s/60, s%60)
}
