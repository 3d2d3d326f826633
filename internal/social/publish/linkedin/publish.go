// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

type medium struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	AltText string `json:"altText,omitempty"`
}

type multiImage struct {
	Images []medium `json:"images"`
}

// Visibility and lifecycle values of a post.
const (
	visiblePublic      = "PUBLIC"
	visibleConnections = "CONNECTIONS"
	lifecyclePublished = "PUBLISHED"
)

// content is the content of a post, as sent and read: exactly one field is set.
type content struct {
	Media      *medium     `json:"media,omitempty"`
	MultiImage *multiImage `json:"multiImage,omitempty"`
}

// assets returns the URNs of the uploads in the content.
func (c content) assets() (out []string) {
	if c.Media != nil {
		out = append(out, c.Media.ID)
	}
	if c.MultiImage != nil {
		for _, i := range c.MultiImage.Images {
			out = append(out, i.ID)
		}
	}
	return out
}

type distribution struct {
	Feed     string   `json:"feedDistribution"`
	Entities []string `json:"targetEntities"`
	Channels []string `json:"thirdPartyDistributionChannels"`
}

type post struct {
	Author       string       `json:"author"`
	Commentary   string       `json:"commentary"`
	Visibility   string       `json:"visibility"`
	Distribution distribution `json:"distribution"`
	Content      content      `json:"content"`
	Lifecycle    string       `json:"lifecycleState"`
	NoReshare    bool         `json:"isReshareDisabledByAuthor"`
}

// visibility returns LinkedIn's value for the audience that the author chose; public by default.
func visibility(d publish.Draft) string {
	if s := d.Settings.LinkedIn; s != nil && s.Visibility == "connections" {
		return visibleConnections
	}
	return visiblePublic
}

// body returns the post of a draft whose files are uploaded. The same draft and note always give the same body.
func body(a publish.Account, d publish.Draft, n *note) post {
	out := post{
		Author: a.ID, Commentary: little(d.Caption), Visibility: visibility(d), Lifecycle: lifecyclePublished,
		Distribution: distribution{Feed: "MAIN_FEED", Entities: []string{}, Channels: []string{}},
	}
	if d.Kind == catalog.MediaVideo {
		out.Content.Media = &medium{ID: n.Assets[0], Title: d.Title}
		return out
	}
	images := make([]medium, len(n.Assets))
	for i, urn := range n.Assets {
		images[i] = medium{ID: urn, AltText: cut(d.Photos[i].AltText, maxAltText)}
	}
	if len(images) == 1 { // a multi-image post has at least two images
		out.Content.Media = &images[0]
		return out
	}
	out.Content.MultiImage = &multiImage{images}
	return out
}

// cut shortens a text to at most most characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// Commit creates the post. LinkedIn responds when the post is public.
func (p *Platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, doc []byte) (*publish.Receipt, error) {
	n, err := prepared(doc, d)
	if err != nil {
		return nil, err
	}
	answer, err := p.request(ctx, call{method: http.MethodPost, path: "/rest/posts", token: a.AccessToken, body: body(a, d, n), publishes: true}, nil)
	if e := asError(err); e != nil && e.Code == duplicate {
		return p.adopt(ctx, a, n, e)
	}
	if err != nil {
		return nil, p.settling(n, err)
	}
	if answer.Status != http.StatusCreated && answer.Status != http.StatusOK {
		return nil, inconclusive(true)
	}
	now := p.c.Clock.Now().UTC()
	for _, header := range []string{"X-Restli-Id", "X-Linkedin-Id"} {
		if urn := answer.Header.Get(header); strings.HasPrefix(urn, "urn:li:") {
			r := p.receipt(urn, now)
			if n.Warning != "" {
				r.View.Warnings = []string{n.Warning}
			}
			return r, nil
		}
	}
	// The post was accepted without an id; a page's list may show the id.
	return &publish.Receipt{Handle: byAsset + n.Assets[0], View: &publish.View{
		State: v1beta1.DeliveryPublished, PublishedAt: now, Settled: !readable(a),
	}}, nil
}

// settles is how long after processing a post of the new files may be refused as forbidden and still be accepted later.
// It is at most the shortest retry delay, so that a missing permission costs only one more attempt.
const settles = time.Minute

// settling returns the error of a post. While the files are new, a forbidden error is temporary.
func (p *Platform) settling(n *note, err error) error {
	e := asError(err)
	if e != nil && e.Kind == publish.Scope && p.c.Clock.Now().Sub(n.ReadyAt) < settles {
		e.Kind, e.RetryAfter = publish.Transient, shortRetry
	}
	return err
}

// postURN matches a post in a text; it does not match a person.
var postURN = regexp.MustCompile(`urn:li:(share|ugcPost|activity):[0-9]+`)

// duplicateURN is the post that a duplicate refusal names; empty if it names none.
type duplicateURN string

func (t duplicateURN) Error() string { return "a duplicate of " + string(t) }

// adopt checks whether the post that a duplicate refusal names is this post, from an attempt that was not visible
// before. Another post with the same text is not.
func (p *Platform) adopt(ctx context.Context, a publish.Account, n *note, refusal *publish.Error) (*publish.Receipt, error) {
	var named duplicateURN
	if !errors.As(refusal, &named) || named == "" || !readable(a) {
		return nil, refusal
	}
	s, err := p.read(ctx, a, string(named))
	if e := asError(err); e != nil && (e.Code == notFound || e.Kind == publish.Rejected) {
		return nil, refusal
	}
	if err != nil { // the named post may be ours
		return nil, inconclusive(true)
	}
	if !slices.Contains(s.Content.assets(), n.Assets[0]) {
		return nil, refusal
	}
	return p.receipt(string(named), s.at(p.c.Clock.Now().UTC())), nil
}
