// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// firstPoll and lastPoll bound the wait between polls of a file in processing, processingTimeout the total
	// processing time.
	firstPoll         = 2 * time.Second
	lastPoll          = 20 * time.Second
	processingTimeout = 30 * time.Minute
	// blind is the wait for images whose state cannot be read.
	blind = 10 * time.Second
	// uploadLifetime is how long an unused upload is considered valid. LinkedIn does not document how long it keeps
	// one.
	uploadLifetime = 12 * time.Hour
	// shortest is the minimum length of a video on LinkedIn.
	shortest = 3 * time.Second
	// maxAltText is in characters; longer texts are cut.
	maxAltText = 4086
)

// States of a file.
const (
	available = "AVAILABLE"
	waiting   = "WAITING_UPLOAD"
	unusable  = "PROCESSING_FAILED"
)

var (
	filmTypes  = []string{"video/mp4"}
	imageTypes = []string{"image/jpeg", "image/png", "image/gif"}
)

// Headroom returns nil, nil: LinkedIn does not report a quota.
func (p *Platform) Headroom(context.Context, publish.Account) (*publish.Headroom, error) {
	return nil, nil //nolint:nilnil // the port's way to say that the platform does not tell
}

// Prepare sends the files and waits until LinkedIn has processed them. Unused files are invisible. The note does not
// change while LinkedIn processes the files.
func (p *Platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, doc []byte, save func([]byte) error) (publish.Step, error) {
	if err := check(d); err != nil {
		return publish.Step{}, err
	}
	if isPage(a) && visibility(d) != visiblePublic {
		return publish.Step{}, rejected("", "A page on LinkedIn posts to the public only: set visibility to public.")
	}
	n, err := readNote(doc, d)
	if err != nil {
		return publish.Step{}, err
	}
	if n.Since.IsZero() {
		s := &sending{p: p, a: a, d: d, n: n, save: save}
		if err := s.send(ctx, len(doc) > 0); err != nil {
			return publish.Step{}, err
		}
	}
	if p.c.Clock.Now().Sub(n.Since) >= uploadLifetime {
		return publish.Step{}, useless()
	}
	return p.await(ctx, a, n)
}

// check rejects drafts that LinkedIn would reject only after all files were sent.
func check(d publish.Draft) error {
	rule, _ := catalog.RuleOf(catalog.LinkedIn)
	film := d.Kind == catalog.MediaVideo
	switch {
	case d.Mode != catalog.PostDirect:
		return rejected("", "LinkedIn accepts no drafts from apps: post directly.")
	case !film && d.Kind != catalog.MediaPhotoSet:
		return rejected("", "LinkedIn does not know this kind of post.")
	case utf8.RuneCountInString(d.Caption) > rule.CaptionMaxFor(d.Kind):
		return rejected(string(catalog.CaptionTooLong), fmt.Sprintf("A text on LinkedIn has up to %d characters.", rule.CaptionMaxFor(d.Kind)))
	case film && utf8.RuneCountInString(d.Title) > rule.TitleMax:
		return rejected(string(catalog.TitleTooLong), fmt.Sprintf("A title on LinkedIn has up to %d characters.", rule.TitleMax))
	case film:
		return checkFilm(d.Video, rule)
	case len(d.Photos) == 0 || len(d.Photos) > rule.MaxPhotos:
		return rejected("", fmt.Sprintf("A post on LinkedIn must have 1 to %d images.", rule.MaxPhotos))
	}
	for i := range d.Photos {
		if m := &d.Photos[i]; m.Bytes <= 0 || !slices.Contains(imageTypes, m.ContentType) {
			return rejected("", "LinkedIn accepts JPEG, PNG and GIF images.")
		}
	}
	return nil
}

func checkFilm(m *publish.Media, rule catalog.PlatformRule) error {
	longest := time.Duration(rule.MaxVideoSeconds) * time.Second
	switch {
	case m == nil || m.Bytes <= 0:
		return rejected("", "There is no video to post.")
	case m.Bytes > rule.MaxVideoBytes:
		return rejected("", "LinkedIn accepts videos of up to 500 MB.")
	case m.Duration > 0 && (m.Duration < shortest || m.Duration > longest):
		return rejected("", "A video on LinkedIn must last 3 seconds to 30 minutes.")
	case !slices.Contains(filmTypes, m.ContentType):
		return rejected("", "LinkedIn accepts MP4 videos.")
	}
	return nil
}

// rejected returns a refusal by this package, with the catalog's code if there is one.
func rejected(code, safe string) *publish.Error {
	return &publish.Error{Kind: publish.Rejected, CatalogCode: code, Safe: safe}
}

// await polls whether LinkedIn has processed the files.
func (p *Platform) await(ctx context.Context, a publish.Account, n *note) (publish.Step, error) {
	waited := p.c.Clock.Now().Sub(n.Since)
	s := publish.Step{ExpiresAt: n.Since.Add(uploadLifetime)}
	// The last file was sent last: while it is not ready, there is no need to poll the others.
	for i := len(n.Assets) - 1; i >= 0 && !n.Ready && !n.Blind; i-- {
		state, err := p.state(ctx, a, n.Kind, n.Assets[i])
		switch {
		case err != nil && publish.KindOf(err) == publish.Scope && n.Kind != catalog.MediaVideo:
			n.Blind = true // members may send images but not read their state
		case err != nil:
			return publish.Step{}, err
		case state == unusable && n.Again && !n.Covered:
			return publish.Step{}, &publish.Error{Kind: publish.Rejected, Code: unusable, Safe: "LinkedIn could not use the file."}
		case state == unusable:
			// processing can fail: retry once, then without the cover; after that the file is at fault
			again := note{Kind: n.Kind, Again: true, NoCover: n.NoCover || n.Again, CoverTries: n.CoverTries, Warning: n.Warning}
			if again.NoCover && n.Covered {
				again.Warning = coverRefused
			}
			return publish.Step{Note: again.bytes(), Wait: firstPoll}, nil
		case state == waiting:
			return publish.Step{}, &publish.Error{Kind: publish.Expired, Code: state, Safe: "LinkedIn does not have the whole file."}
		case state == available:
			n.Ready = i == 0
			continue
		}
		break
	}
	switch {
	case n.Ready:
	case n.Blind:
		// Wait a fixed time. If it was too short, creating the post fails.
		n.Ready = waited >= blind
		s.Wait = max(blind-waited, 0)
	case waited > processingTimeout:
		return publish.Step{}, &publish.Error{Kind: publish.Expired, Safe: "LinkedIn has not finished working on the file."}
	default:
		s.Wait = min(max(firstPoll, waited/2), lastPoll)
	}
	if n.Ready && n.ReadyAt.IsZero() {
		n.ReadyAt = p.c.Clock.Now().UTC()
	}
	s.Note, s.Ready = n.bytes(), n.Ready
	return s, nil
}

// state returns the processing state of a file.
func (p *Platform) state(ctx context.Context, a publish.Account, kind, urn string) (string, error) {
	resource := "images"
	if kind == catalog.MediaVideo {
		resource = "videos"
	}
	var v struct {
		Status string `json:"status"`
	}
	err := p.get(ctx, a.AccessToken, "/rest/"+resource+"/"+key(urn), &v)
	if e := asError(err); e != nil && e.Code == notFound {
		return "", useless()
	}
	return v.Status, err
}

// key returns a URN as the key in a path or the value of a query: all of LinkedIn's punctuation is escaped.
func key(urn string) string { return strings.ReplaceAll(url.QueryEscape(urn), "+", "%20") }
