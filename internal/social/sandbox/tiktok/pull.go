// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/image/webp"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	maxPhoto = 20_000_000 // bytes
	// longSide and shortSide of a 1080p image, in pixels.
	longSide, shortSide = 1920, 1080
	// pullTimeout is the timeout of a fetch. TikTok's is one hour.
	pullTimeout = 20 * time.Second
)

// verified reports whether TikTok fetches from a URL: from this machine, or below a verified prefix. It writes the
// error if not.
func (p *Platform) verified(w http.ResponseWriter, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") {
		invalid(w, "The address to fetch from is invalid.")
		return false
	}
	p.mu.Lock()
	prefixes := p.limits.Prefixes
	p.mu.Unlock()
	if p.core.FetchesFrom(u) || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(address, prefix) }) {
		return true
	}
	if u.Scheme != "https" || net.ParseIP(u.Hostname()) != nil {
		invalid(w, "The address to fetch from has to be https with a host name.")
		return false
	}
	refuse(w, http.StatusForbidden, "url_ownership_unverified", "Please review our URL ownership verification rules.")
	return false
}

// puller is a client that does not follow redirects, like TikTok's.
var puller = &http.Client{
	Timeout:       pullTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// pull fetches a file of at most limit bytes.
func (p *Platform) pull(address, contentType string, limit int64) (*sandbox.File, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := puller.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	f, err := p.core.NewFile(contentType)
	if err != nil {
		return nil, err
	}
	n, err := f.WriteFrom(io.LimitReader(res.Body, limit+1), 0)
	if err != nil || n > limit || (res.ContentLength >= 0 && n != res.ContentLength) {
		f.Remove()
		return nil, errors.New("not the whole file, or too much of it")
	}
	return f, nil
}

// fetchFilm fetches a video and starts posting.
func (p *Platform) fetchFilm(b *publication, address string) {
	f, err := p.pull(address, "video/mp4", maxFilm)
	if err != nil {
		p.arrived(b, "video_pull_failed")
		return
	}
	p.mu.Lock()
	b.file, b.size, b.uploaded = f, f.Size(), f.Size()
	p.mu.Unlock()
	p.arrived(b, "")
}

// fetchPhotos fetches and validates images, and starts posting.
func (p *Platform) fetchPhotos(b *publication, addresses []string) {
	reason := ""
	for _, address := range addresses {
		f, err := p.pull(address, "", maxPhoto)
		if err != nil {
			reason = "photo_pull_failed"
			break
		}
		p.mu.Lock()
		b.pictures = append(b.pictures, f)
		b.uploaded += f.Size()
		p.mu.Unlock()
		if reason = picture(f); reason != "" {
			break
		}
	}
	p.arrived(b, reason)
}

// picture returns the reason why a file is not a JPEG or WebP image of an accepted size, or an empty string.
func picture(f *sandbox.File) string {
	in, err := f.Open()
	if err != nil {
		return "internal"
	}
	defer func() { _ = in.Close() }()
	doc, err := io.ReadAll(io.LimitReader(in, maxPhoto))
	if err != nil {
		return "internal"
	}
	var c image.Config
	switch {
	case bytes.HasPrefix(doc, []byte("\xff\xd8\xff")):
		f.ContentType = "image/jpeg"
		c, err = jpeg.DecodeConfig(bytes.NewReader(doc))
		if !bytes.Contains(doc[max(0, len(doc)-64):], []byte("\xff\xd9")) {
			err = errors.New("the picture is not whole")
		}
	case len(doc) > 12 && string(doc[:4]) == "RIFF" && string(doc[8:12]) == "WEBP":
		f.ContentType = "image/webp"
		c, err = webp.DecodeConfig(bytes.NewReader(doc))
	default:
		return "file_format_check_failed"
	}
	switch {
	case err != nil:
		return "file_format_check_failed"
	case max(c.Width, c.Height) > longSide || min(c.Width, c.Height) > shortSide:
		return "picture_size_check_failed"
	}
	return ""
}
