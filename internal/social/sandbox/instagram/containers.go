// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Kinds of containers.
const (
	kindImage    = "IMAGE"
	kindReel     = "REELS"
	kindVideo    = "VIDEO"
	kindCarousel = "CAROUSEL"
)

// container is a media container. It can be published once.
type container struct {
	id, account, kind, caption string
	child                      bool
	children                   []*container
	file                       *sandbox.File
	// cover of a reel in the format of Landing.Cover, and whether the reel is kept out of the feed.
	cover     string
	offFeed   bool
	createdAt time.Time
	// readyAt is when processing ends; zero while the upload is incomplete.
	readyAt time.Time
	// failed is the subcode with which processing fails, or 0.
	failed int
	// published, publishedAt and post are set when the container is published; post is the ID of the post.
	published   bool
	publishedAt time.Time
	post        string
}

// state returns the container's status_code.
func (c *container) state(now time.Time, lag time.Duration) string {
	switch {
	case c.published && !now.Before(c.publishedAt.Add(lag)):
		return "PUBLISHED"
	case !c.published && !now.Before(c.createdAt.Add(containerLife)):
		return "EXPIRED"
	case c.readyAt.IsZero() || now.Before(c.readyAt):
		return "IN_PROGRESS"
	case c.failed != 0:
		return "ERROR"
	}
	for _, k := range c.children {
		if s := k.state(now, lag); s != "FINISHED" {
			return s
		}
	}
	return "FINISHED"
}

func (p *Platform) isContainer(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.containers[id] != nil
}

// create creates a container: POST /{ig}/media.
func (p *Platform) create(w http.ResponseWriter, r *http.Request) {
	a, in, ok := p.publishRequest(w, r)
	if !ok {
		return
	}
	c, g := p.newContainer(a, in)
	if g == nil {
		g = p.add(c)
	}
	if g != nil {
		g.write(w)
		return
	}
	out := map[string]any{"id": c.id}
	if in["upload_type"] == "resumable" {
		out["uri"] = p.core.URL(Name, "/ig-api-upload/"+r.PathValue("version")+"/"+c.id)
	}
	reply(w, http.StatusOK, out)
}

// newContainer validates the parameters and fetches the file.
func (p *Platform) newContainer(a sandbox.Account, in map[string]string) (*container, *graphError) {
	now := p.core.Now()
	c := &container{
		id: "1" + sandbox.Digits(16), account: a.Name, kind: in["media_type"], caption: in["caption"], createdAt: now,
		readyAt: now.Add(p.core.Processing()), child: in["is_carousel_item"] == "true",
	}
	if g := checkText(c, in); g != nil {
		return nil, g
	}
	if c.kind == "" && in["image_url"] != "" {
		c.kind = kindImage
	}
	switch {
	case c.kind == kindImage:
		return c, p.image(c, in["image_url"])
	case c.kind == kindCarousel:
		return c, p.carousel(c, in["children"])
	case c.child && c.kind == kindReel:
		return nil, refuse(100, 2207023, "Reels cannot be items of a carousel.")
	case c.kind == kindReel, c.kind == kindVideo && c.child:
		return c, p.film(c, in)
	case c.kind == "":
		return nil, refuse(100, 0, "The parameter image_url is required.")
	}
	return nil, refuse(100, 2207023, "The media type "+c.kind+" is unknown.")
}

func checkText(c *container, in map[string]string) *graphError {
	switch {
	case utf8.RuneCountInString(c.caption) > 2200:
		return refuse(36004, 2207010, "The submitted caption is too long.")
	case words(c.caption, '@') > 20:
		return refuse(100, 2207040, "Cannot use more than 20 tags in the caption.")
	case words(c.caption, '#') > 30:
		return refuse(100, 0, "Cannot use more than 30 hashtags in the caption.")
	case utf8.RuneCountInString(in["alt_text"]) > 1000:
		return refuse(100, 0, "Param alt_text must be at most 1000 characters.")
	case in["alt_text"] != "" && in["image_url"] == "":
		return refuse(100, 0, "Param alt_text is for images.")
	case c.child && c.caption != "":
		c.caption = "" // captions of children are not shown
	}
	if v := in["thumb_offset"]; v != "" {
		if n, err := strconv.Atoi(v); err != nil || n < 0 {
			return refuse(1, 2207057, "The thumbnail offset must be within the video.")
		}
	}
	return nil
}

// words counts the occurrences of a mark that are not at the end of a word.
func words(s string, mark rune) int {
	n := 0
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '#' && r != '@' && r != '_' }) {
		for rest := f; ; n++ {
			i := strings.IndexRune(rest, mark)
			if i < 0 || i+1 == len(rest) {
				break
			}
			rest = rest[i+1:]
		}
	}
	return n
}

// image fetches an image in the same call, so that errors in the image are returned immediately.
func (p *Platform) image(c *container, address string) *graphError {
	if address == "" {
		return refuse(100, 0, "The parameter image_url is required.")
	}
	f, err := p.get(address, "image/jpeg", maxImageBytes)
	if err != nil {
		return refuse(9004, 2207052, "Only photo or video can be accepted as media type. The media could not be fetched from this URI.")
	}
	if g := checkImage(f); g != nil {
		f.Remove()
		return g
	}
	c.file, c.failed = f, p.wanted(c.account)
	return nil
}

// film fetches a video, or leaves the container waiting for a resumable upload. Errors in the video appear only as a
// failed container.
func (p *Platform) film(c *container, in map[string]string) *graphError {
	if in["upload_type"] == "resumable" && p.now().Resumable {
		c.readyAt = time.Time{}
		return nil
	}
	if in["video_url"] == "" {
		return refuse(100, 0, "The parameter video_url is required.")
	}
	c.offFeed = in["share_to_feed"] == "false"
	if address := in["cover_url"]; address != "" {
		if g := p.coverAt(c, address); g != nil {
			return g
		}
	}
	f, err := p.get(in["video_url"], "video/mp4", maxVideoBytes)
	c.file, c.failed = f, 2207052
	if err == nil {
		c.failed = p.process(c.account, f)
	}
	if at := in["thumb_offset"]; at != "" && c.cover == "" { // a cover image takes precedence over a thumbnail offset
		n, _ := strconv.Atoi(at)
		if film, unreadable := probed(f); unreadable == nil && time.Duration(n)*time.Millisecond > film.Duration {
			c.failed = 2207057
		}
		c.cover = at + " ms"
	}
	return nil
}

func probed(f *sandbox.File) (*sandbox.Probe, error) {
	if f == nil {
		return nil, errElsewhere
	}
	return f.Probe(context.Background())
}

// coverAt fetches a cover image and records its SHA-256.
func (p *Platform) coverAt(c *container, address string) *graphError {
	f, err := p.get(address, "image/jpeg", maxImageBytes)
	if err != nil {
		return refuse(9004, 2207052, "The cover could not be fetched from this URI.")
	}
	defer f.Remove()
	if g := checkImage(f); g != nil && g.code != 36003 { // a cover may have any aspect ratio
		return g
	}
	c.cover, _ = f.SHA256()
	return nil
}

// process returns the subcode with which a video fails, or 0 when it is accepted.
func (p *Platform) process(account string, f *sandbox.File) int {
	if n := checkFilm(f); n != 0 {
		return n
	}
	return p.wanted(account)
}

// wanted returns the subcode with which a fault script makes a container of the account fail, or 0. The fault's code is
// the subcode alone, or Instagram's code, a slash and the subcode.
func (p *Platform) wanted(account string) int {
	f := p.core.Outcome(Name, account)
	if f == nil {
		return 0
	}
	n, _ := strconv.Atoi(f.Code[strings.LastIndex(f.Code, "/")+1:])
	switch {
	case n != 0:
		return n
	case f.Do == sandbox.Reject:
		return 2207051
	}
	return 2207053
}

// carousel resolves the children, 2 to 10. They must be finished carousel items of the same account.
func (p *Platform) carousel(c *container, list string) *graphError {
	ids := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '[' || r == ']' || r == '"' })
	if len(ids) < 2 || len(ids) > 10 {
		return refuse(100, 2207028, "A carousel needs 2 to 10 items.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.core.Now()
	for _, id := range ids {
		k := p.containers[id]
		if k == nil || k.account != c.account || !k.child {
			return refuse(24, 2207006, "The media with ID "+id+" cannot be found.")
		}
		switch k.state(now, 0) {
		case "FINISHED":
		case "IN_PROGRESS":
			return refuse(9007, 2207027, "The media is not ready for publishing, please wait for a moment.")
		default:
			return refuse(-2, 2207020, "The media you are trying to access has expired.")
		}
		c.children = append(c.children, k)
	}
	return nil
}

// add stores a container and counts it. It returns an error if the account has reached the limit of containers within
// 24 hours.
func (p *Platform) add(c *container) *graphError {
	p.mu.Lock()
	defer p.mu.Unlock()
	recent := since(p.created[c.account], c.createdAt.Add(-window))
	if len(recent) >= p.behaviour.MaxContainers {
		p.created[c.account] = recent
		return refuse(9, 2207042, "The account has made too many containers within 24 hours.")
	}
	p.created[c.account] = append(recent, c.createdAt)
	p.containers[c.id] = c
	return nil
}

// since returns the times that are not before begin. times is sorted.
func since(times []time.Time, begin time.Time) []time.Time {
	for len(times) > 0 && times[0].Before(begin) {
		times = times[1:]
	}
	return times
}

// status returns the status of a container: GET /{container}.
func (p *Platform) status(w http.ResponseWriter, r *http.Request) {
	a, g := p.caller(r, scopeBasic)
	if g != nil {
		g.write(w)
		return
	}
	p.mu.Lock()
	c := p.containers[r.PathValue("id")]
	state, failed := "", 0
	if c != nil && c.account == a.Name && !p.core.Now().Before(c.createdAt.Add(time.Duration(p.behaviour.StatusOutage))) {
		state, failed = c.state(p.core.Now(), time.Duration(p.behaviour.PublishedLag)), c.failure()
	}
	p.mu.Unlock()
	if state == "" {
		missing(r.PathValue("id")).write(w)
		return
	}
	text := map[string]string{
		"IN_PROGRESS": "In Progress: Media is still being processed.", "FINISHED": "Finished: Media has been uploaded and it is ready to be published.",
		"PUBLISHED": "Published: Media has been published.", "EXPIRED": "Expired: Media was not published within 24 hours.",
	}[state]
	if state == "ERROR" {
		text = "Error: Media upload has failed with error code " + strconv.Itoa(failed)
	}
	all := map[string]any{"id": c.id, "status_code": state, "status": text}
	if g := pick(w, r, all, "id"); g != nil {
		g.write(w)
	}
}

func (c *container) failure() int {
	for _, k := range c.children {
		if k.failed != 0 {
			return k.failed
		}
	}
	return c.failed
}

// upload receives the bytes of a container that waits for them: POST /ig-api-upload/{version}/{container}.
func (p *Platform) upload(w http.ResponseWriter, r *http.Request) {
	fail := func(message string, retry bool) {
		reply(w, http.StatusBadRequest, map[string]any{"debug_info": map[string]any{"retriable": retry, "type": "ProcessingFailedError", "message": message}})
	}
	access, _ := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	k, err := p.tokens.Lookup(access)
	if err != nil {
		fail("The access token is not valid", false)
		return
	}
	p.mu.Lock()
	c := p.containers[r.PathValue("id")]
	waits := c != nil && c.account == k.Grant.Account && c.readyAt.IsZero()
	p.mu.Unlock()
	if !waits {
		fail("The container takes no upload", false)
		return
	}
	size, err := strconv.ParseInt(r.Header.Get("file_size"), 10, 64)
	offset, err2 := strconv.ParseInt(r.Header.Get("offset"), 10, 64)
	if err != nil || err2 != nil || size < 1 || size > maxVideoBytes || offset < 0 || offset >= size {
		fail("The headers offset and file_size have to fit the file", false)
		return
	}
	f := c.file
	if f == nil {
		if f, err = p.core.NewFile("video/mp4"); err != nil {
			fail("The file could not be kept", true)
			return
		}
	}
	if offset > f.Size() {
		fail("There is a gap before the offset", false)
		return
	}
	_, err = f.WriteFrom(http.MaxBytesReader(w, r.Body, size-offset), offset)
	p.mu.Lock()
	c.file = f
	p.mu.Unlock()
	if err != nil || f.Size() < size {
		fail("The upload is not whole: go on at "+strconv.FormatInt(f.Size(), 10), true)
		return
	}
	failed := p.process(k.Grant.Account, f)
	p.mu.Lock()
	c.failed, c.readyAt = failed, p.core.Now().Add(p.core.Processing())
	p.mu.Unlock()
	reply(w, http.StatusOK, map[string]any{"success": true, "message": "Upload successful."})
}
