// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// maxProcessing is how long a container may be in processing before it is replaced.
	maxProcessing = 30 * time.Minute
	// unseenFor is how long a new container may be missing. In an outage in 2026 Instagram did not show new containers
	// for minutes and published them nevertheless. A replacement would have been missing too.
	unseenFor = 10 * time.Minute
	// maxRemade is the number of retryable container failures at which the last one becomes final.
	maxRemade = 3

	captionMax  = 2200
	hashtagsMax = 30
	mentionsMax = 20
	altTextMax  = 1000
	photosMax   = 10
	minVideo    = 3 * time.Second
	maxVideo    = 15 * time.Minute
)

// States of a container.
const (
	inProgress = "IN_PROGRESS"
	finished   = "FINISHED"
	published  = "PUBLISHED"
	failure    = "ERROR"
	lapsed     = "EXPIRED"
)

// Prepare creates the containers and waits until they can be published. The note does not change between two polls; the
// wait depends on the time elapsed so far.
func (p *Platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, prior []byte, save func([]byte) error) (publish.Step, error) {
	if err := check(d); err != nil {
		return publish.Step{}, err
	}
	n, err := readNote(prior)
	if err != nil {
		return publish.Step{}, expired("The preparation for Instagram can no longer be read.")
	}
	if !n.Since.IsZero() && !p.c.Clock.Now().Before(n.Since.Add(containerLife)) {
		return publish.Step{}, expired(safeGone)
	}
	r := &preparation{p: p, a: a, d: d, n: n, save: save}
	wait, err := r.advance(ctx)
	if err != nil {
		return publish.Step{Note: r.n.write()}, err
	}
	s := publish.Step{Note: r.n.write(), Ready: wait == 0, Wait: wait}
	if !r.n.Since.IsZero() {
		s.ExpiresAt = r.n.Since.Add(containerLife)
	}
	return s, nil
}

// check rejects drafts that Instagram would reject only after an hour of processing.
func check(d publish.Draft) error {
	switch {
	case d.Mode != catalog.PostDirect:
		return rejected("Instagram accepts no drafts from apps: post directly.")
	case d.Kind == catalog.MediaVideo && d.Video == nil:
		return rejected("There is no video to post.")
	case d.Kind == catalog.MediaVideo && d.Video.Duration > 0 && (d.Video.Duration < minVideo || d.Video.Duration > maxVideo):
		return rejected("A reel on Instagram must last 3 seconds to 15 minutes.")
	case d.Kind == catalog.MediaPhotoSet && (len(d.Photos) == 0 || len(d.Photos) > photosMax):
		return rejected("A post on Instagram must have 1 to 10 images.")
	case d.Kind != catalog.MediaVideo && d.Kind != catalog.MediaPhotoSet:
		return rejected("Instagram does not know this kind of post.")
	case utf8.RuneCountInString(d.Caption) > captionMax:
		e := rejected("The caption is too long for Instagram.")
		e.CatalogCode = string(catalog.CaptionTooLong)
		return e
	case marks(d.Caption, '#') > hashtagsMax:
		return rejected("Instagram accepts at most 30 hashtags in a caption.")
	case marks(d.Caption, '@') > mentionsMax:
		return rejected("Instagram accepts at most 20 mentions (@) in a caption.")
	}
	return nil
}

// marks counts words that begin with the mark.
func marks(s string, mark rune) int {
	n, before, open := 0, ' ', false
	for _, r := range s {
		switch {
		case open && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'):
			n++
			open = false
		default:
			open = r == mark && !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != '_'
		}
		before = r
	}
	return n
}

// preparation is the state of one call of Prepare.
type preparation struct {
	p    *Platform
	a    publish.Account
	d    publish.Draft
	n    note
	save func([]byte) error
}

// advance proceeds as far as possible. It returns 0 if only publishing is left, otherwise the time to wait.
func (r *preparation) advance(ctx context.Context) (time.Duration, error) {
	if carousel(r.d) {
		if wait, err := r.children(ctx); wait > 0 || err != nil {
			return wait, err
		}
	}
	if r.n.Main.ID == "" {
		at, name, err := r.create(ctx, r.mainBody)
		if err != nil {
			if f := about(err); carousel(r.d) && f != nil && (f.code == 24 || f.subcode == 2207020) {
				// The containers of the images are missing.
				return 0, &publish.Error{Kind: publish.Expired, Safe: safeGone, Err: err}
			}
			return r.again(err)
		}
		r.n.Main = container{ID: name, At: at}
		return firstWait, nil
	}
	return r.look(ctx, &r.n.Main)
}

func carousel(d publish.Draft) bool { return d.Kind == catalog.MediaPhotoSet && len(d.Photos) > 1 }

// children creates the containers of a carousel's images, then waits for all of them. They are recorded together. A
// crash in between loses only containers that are invisible and expire.
func (r *preparation) children(ctx context.Context) (time.Duration, error) {
	if r.n.Main.ID != "" {
		return 0, nil
	}
	if len(r.n.Children) != len(r.d.Photos) {
		r.n.Children = make([]container, len(r.d.Photos))
	}
	made := false
	for i := range r.n.Children {
		c := &r.n.Children[i]
		if c.ID != "" {
			continue
		}
		at, name, err := r.create(ctx, func(ctx context.Context) (map[string]any, error) {
			return imageBody(ctx, r.d.Photos[i], map[string]any{"is_carousel_item": true})
		})
		if err != nil {
			wait, err := r.again(err)
			if err != nil && made {
				if e := r.save(r.n.write()); e != nil {
					return 0, e
				}
			}
			return wait, err
		}
		*c, made = container{ID: name, At: at}, true
	}
	if made {
		return firstWait, nil
	}
	var longest time.Duration
	for i := range r.n.Children {
		if r.n.Children[i].Finished {
			continue
		}
		wait, err := r.look(ctx, &r.n.Children[i])
		if err != nil {
			return 0, err
		}
		longest = max(longest, wait)
	}
	return longest, nil
}

// mainBody returns the request body of the container to publish.
func (r *preparation) mainBody(ctx context.Context) (map[string]any, error) {
	body := map[string]any{}
	if r.d.Caption != "" {
		body["caption"] = r.d.Caption
	}
	switch {
	case carousel(r.d):
		ids := make([]string, len(r.n.Children))
		for i, c := range r.n.Children {
			ids[i] = c.ID
		}
		body["media_type"], body["children"] = "CAROUSEL", strings.Join(ids, ",")
		return body, nil
	case r.d.Kind == catalog.MediaPhotoSet:
		return imageBody(ctx, r.d.Photos[0], body)
	}
	address, err := addressOf(ctx, *r.d.Video)
	if err != nil {
		return nil, err
	}
	body["media_type"], body["video_url"], body["share_to_feed"] = "REELS", address, true
	set := r.d.Settings.Instagram
	if set != nil && set.ShareToFeed != nil {
		body["share_to_feed"] = *set.ShareToFeed
	}
	switch c := r.d.Cover; {
	case r.n.NoCover:
	case c != nil && c.Image != nil:
		if body["cover_url"], err = addressOf(ctx, *c.Image); err != nil {
			return nil, err
		}
	case c != nil && c.Offset != nil:
		body["thumb_offset"] = c.Offset.Milliseconds()
	case set != nil && set.CoverOffset() != nil:
		body["thumb_offset"] = *set.CoverOffset()
	}
	return body, nil
}

func imageBody(ctx context.Context, m publish.Media, body map[string]any) (map[string]any, error) {
	address, err := addressOf(ctx, m)
	if err != nil {
		return nil, err
	}
	body["image_url"] = address
	if m.AltText != "" {
		body["alt_text"] = firstRunes(m.AltText, altTextMax)
	}
	return body, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// addressOf returns an address from which Instagram can fetch a file. Instagram accepts only ASCII addresses.
func addressOf(ctx context.Context, m publish.Media) (string, error) {
	if m.URL == nil {
		return "", rejected("There is no URL from which Instagram can download the file.")
	}
	address, err := m.URL(ctx)
	if err != nil {
		return "", &publish.Error{Kind: publish.Transient, Safe: "No URL could be created from which Instagram can download the file.", Err: err}
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] > '~' {
			return "", &publish.Error{Kind: publish.Misconfigured, Safe: "The URL from which Instagram downloads files has characters that Instagram does not accept."}
		}
	}
	return address, nil
}

// create creates a container and returns the time before the call and the id.
func (r *preparation) create(ctx context.Context, body func(context.Context) (map[string]any, error)) (time.Time, string, error) {
	b, err := body(ctx)
	if err != nil {
		return time.Time{}, "", err
	}
	at := r.p.c.Clock.Now().UTC()
	var ans idAnswer
	if err := r.p.post(ctx, r.a.AccessToken, r.p.versioned(r.a.ID, "media"), creating, b, &ans); err != nil {
		return time.Time{}, "", ofAccount(err)
	}
	if ans.ID == "" {
		return time.Time{}, "", unreadable(errors.New("there is no container in it"), creating)
	}
	if r.n.Since.IsZero() {
		r.n.Since = at
	}
	return at, string(ans.ID), nil
}

// look polls a container. It returns 0 if the container is finished, otherwise the time to wait.
func (r *preparation) look(ctx context.Context, c *container) (time.Duration, error) {
	age := r.p.c.Clock.Now().Sub(c.At)
	st, err := r.p.status(ctx, r.a, c.ID)
	if err != nil {
		if unseen(err) && age < unseenFor {
			return pause(age), nil
		}
		if gone(err) {
			return 0, &publish.Error{Kind: publish.Expired, Safe: safeGone, Err: err}
		}
		return 0, err
	}
	switch st.StatusCode {
	case finished:
		c.Finished = true
		return 0, nil
	case published:
		if c != &r.n.Main {
			return 0, expired(safeGone)
		}
		return 0, ambiguous("Instagram reports that the prepared post is already published.")
	case lapsed:
		return 0, expired(safeGone)
	case failure:
		err := failed(st.Status)
		*c = container{}
		return r.again(err)
	case inProgress:
		if age > maxProcessing {
			return 0, expired("Instagram did not finish working on the file within half an hour.")
		}
	default:
		// An undocumented state: keep polling until a documented one follows.
		if age > maxProcessing {
			return 0, expired("Instagram did not report within half an hour whether the file can be published.")
		}
	}
	return pause(age), nil
}

// again replaces a container that failed; maxRemade retryable failures are final. A cover never fails a post: a video
// that was refused with a cover is tried without it first.
func (r *preparation) again(err error) (time.Duration, error) {
	remake := remakes(err)
	if remake {
		r.n.Remade++
	}
	final := remake && r.n.Remade >= maxRemade || !remake && publish.KindOf(err) == publish.Rejected
	switch {
	case final && covered(r.d) && !r.n.NoCover:
		r.n.NoCover, r.n.Remade = true, 0
		return firstWait, nil
	case !remake:
		return 0, err
	case final:
		var e *publish.Error
		errors.As(err, &e)
		refused := *e
		refused.Kind = publish.Rejected
		return 0, &refused
	}
	return time.Duration(r.n.Remade) * 15 * time.Second, nil
}

// covered reports whether a cover was chosen for a video.
func covered(d publish.Draft) bool {
	set := d.Settings.Instagram
	return d.Kind == catalog.MediaVideo && (d.Cover != nil && (d.Cover.Image != nil || d.Cover.Offset != nil) || set != nil && set.CoverOffset() != nil)
}

// coverRefused warns that a post is published without its cover.
const coverRefused = "Instagram did not accept the cover and chose one itself."

// warned adds warnings about differences from the author's choices to a receipt.
func warned(r *publish.Receipt, n note) *publish.Receipt {
	if n.NoCover && r.View != nil {
		r.View.Warnings = append(r.View.Warnings, coverRefused)
	}
	return r
}

const (
	firstWait = 1500 * time.Millisecond
	lastWait  = time.Minute
)

// pause returns the wait before the next poll of a container: half of its age, within firstWait and lastWait. It needs
// no stored state.
func pause(age time.Duration) time.Duration {
	return min(max(age/2, firstWait), lastWait)
}

// status reads the state of a container.
func (p *Platform) status(ctx context.Context, a publish.Account, name string) (containerAnswer, error) {
	var st containerAnswer
	err := p.get(ctx, a.AccessToken, p.versioned(name), url.Values{"fields": {"status_code,status"}}, func(b []byte) error { return one(b, &st) })
	return st, err
}
