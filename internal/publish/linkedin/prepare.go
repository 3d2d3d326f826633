// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/publish"
)

// note is what Prepare has come to: files that LinkedIn has in whole.
type note struct {
	// Assets are the URNs of the files in order: one video, or the pictures.
	Assets []string `json:"assets"`
	// Since is when the last of them was sent.
	Since time.Time `json:"since"`
	// Ready are those at the beginning that LinkedIn was done with.
	Ready int `json:"ready"`
}

const (
	// look is the wait between looks at a file that LinkedIn works on, and patience how long it may.
	firstLook = 2 * time.Second
	lastLook  = 20 * time.Second
	patience  = 30 * time.Minute
	// blind is how long pictures of a member are left alone that cannot be looked at.
	blind = 15 * time.Second
	// keeps is how long an unused upload is relied upon. LinkedIn does not tell how long it keeps one.
	keeps = 12 * time.Hour
)

// Headroom is not told by LinkedIn.
func (p *Platform) Headroom(context.Context, publish.Account) (*publish.Headroom, error) {
	return nil, nil //nolint:nilnil // the port's way to say that the platform does not tell
}

// Prepare sends the files and waits until LinkedIn is done with them. Files that are sent and not used are seen by nobody, so a
// restart in the middle simply begins again.
func (p *Platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, doc []byte, _ func([]byte) error) (publish.Step, error) {
	var n note
	if len(doc) > 0 && json.Unmarshal(doc, &n) != nil {
		return publish.Step{}, &publish.Error{Kind: publish.Expired, Safe: "What was prepared for LinkedIn cannot be read."}
	}
	if d.Mode != catalog.PostDirect {
		return publish.Step{}, &publish.Error{Kind: publish.Rejected, Safe: "LinkedIn takes no drafts."}
	}
	if len(n.Assets) == 0 {
		if err := p.send(ctx, a, d, &n); err != nil {
			return publish.Step{}, err
		}
	}
	return p.await(ctx, a, d, n)
}

func (p *Platform) send(ctx context.Context, a publish.Account, d publish.Draft, n *note) error {
	if d.Kind == catalog.MediaVideo {
		urn, err := p.sendVideo(ctx, a, d.Video)
		if err != nil {
			return err
		}
		n.Assets = []string{urn}
	} else {
		for i := range d.Photos {
			urn, err := p.sendImage(ctx, a, &d.Photos[i])
			if err != nil {
				return err
			}
			n.Assets = append(n.Assets, urn)
		}
	}
	n.Since = p.c.Clock.Now()
	return nil
}

type videoUpload struct {
	Value struct {
		Video        string `json:"video"`
		Token        string `json:"uploadToken"`
		Instructions []struct {
			First int64  `json:"firstByte"`
			Last  int64  `json:"lastByte"`
			URL   string `json:"uploadUrl"`
		} `json:"uploadInstructions"`
	} `json:"value"`
}

// sendVideo sends a film in the parts that LinkedIn asks for.
func (p *Platform) sendVideo(ctx context.Context, a publish.Account, m *publish.Media) (string, error) {
	var u videoUpload
	begin := map[string]any{"initializeUploadRequest": map[string]any{
		"owner": a.ID, "fileSizeBytes": m.Bytes, "uploadCaptions": false, "uploadThumbnail": false,
	}}
	if _, err := p.ask(ctx, call{method: http.MethodPost, path: "/rest/videos?action=initializeUpload", token: a.AccessToken, body: begin}, &u); err != nil {
		return "", err
	}
	var tags []string
	var next int64
	for _, part := range u.Value.Instructions {
		if part.First != next || part.Last < part.First || part.Last >= m.Bytes {
			return "", unclear(false)
		}
		next = part.Last + 1
		tag, err := p.put(ctx, a.AccessToken, part.URL, "application/octet-stream", m, part.First, part.Last-part.First+1)
		if err != nil {
			return "", err
		}
		tags = append(tags, tag)
	}
	if u.Value.Video == "" || next != m.Bytes {
		return "", unclear(false)
	}
	end := map[string]any{"finalizeUploadRequest": map[string]any{"video": u.Value.Video, "uploadToken": u.Value.Token, "uploadedPartIds": tags}}
	_, err := p.ask(ctx, call{method: http.MethodPost, path: "/rest/videos?action=finalizeUpload", token: a.AccessToken, body: end}, nil)
	return u.Value.Video, err
}

// sendImage sends a picture in one piece.
func (p *Platform) sendImage(ctx context.Context, a publish.Account, m *publish.Media) (string, error) {
	var u struct {
		Value struct {
			Image string `json:"image"`
			URL   string `json:"uploadUrl"`
		} `json:"value"`
	}
	begin := map[string]any{"initializeUploadRequest": map[string]any{"owner": a.ID}}
	if _, err := p.ask(ctx, call{method: http.MethodPost, path: "/rest/images?action=initializeUpload", token: a.AccessToken, body: begin}, &u); err != nil {
		return "", err
	}
	if u.Value.Image == "" {
		return "", unclear(false)
	}
	_, err := p.put(ctx, a.AccessToken, u.Value.URL, m.ContentType, m, 0, m.Bytes)
	return u.Value.Image, err
}

// put sends bytes of a file and gives the tag that LinkedIn knows them by. To send them again does no harm.
func (p *Platform) put(ctx context.Context, token, address, contentType string, m *publish.Media, offset, length int64) (string, error) {
	if !p.takes(address) {
		return "", &publish.Error{Kind: publish.Misconfigured, Code: "upload_host", Safe: "LinkedIn named a host for the upload that files may not be sent to."}
	}
	body, err := m.Open(ctx, offset)
	if err != nil {
		return "", fmt.Errorf("reading the file: %w", err)
	}
	defer func() { _ = body.Close() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, io.NopCloser(io.LimitReader(body, length)))
	if err != nil {
		return "", unclear(false)
	}
	req.ContentLength = length
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return "", unanswered(err, false)
	}
	if answer.Status < 200 || answer.Status > 299 {
		e := refused(answer, false, p.c.Clock.Now())
		if answer.Status == http.StatusForbidden || answer.Status == http.StatusNotFound || answer.Status == http.StatusGone {
			e.Kind, e.Safe = publish.Expired, byCode["EXPIRED_UPLOAD_URL"].safe
		}
		return "", e
	}
	return answer.Header.Get("ETag"), nil
}

// await looks whether LinkedIn is done with the files.
func (p *Platform) await(ctx context.Context, a publish.Account, d publish.Draft, n note) (publish.Step, error) {
	waited := p.c.Clock.Now().Sub(n.Since)
	for n.Ready < len(n.Assets) {
		done, err := p.done(ctx, a, d.Kind, n.Assets[n.Ready])
		switch {
		case publish.KindOf(err) == publish.Scope && err != nil && d.Kind != catalog.MediaVideo:
			// Members may send pictures and not look at them: they are left some time, and the post says if it was too little.
			done = waited >= blind
		case err != nil:
			return publish.Step{}, err
		}
		if !done {
			break
		}
		n.Ready++
	}
	doc, err := json.Marshal(n)
	if err != nil {
		return publish.Step{}, err
	}
	s := publish.Step{Note: doc, Ready: n.Ready == len(n.Assets), ExpiresAt: n.Since.Add(keeps)}
	switch {
	case s.Ready:
	case waited > patience:
		return publish.Step{}, &publish.Error{Kind: publish.Expired, Safe: "LinkedIn has not finished working on the file."}
	default:
		s.Wait = min(max(firstLook, waited/2), lastLook)
	}
	return s, nil
}

// done says whether LinkedIn has finished with a file.
func (p *Platform) done(ctx context.Context, a publish.Account, kind, urn string) (bool, error) {
	resource := "images"
	if kind == catalog.MediaVideo {
		resource = "videos"
	}
	var v struct {
		Status string `json:"status"`
	}
	err := p.get(ctx, a.AccessToken, "/rest/"+resource+"/"+key(urn), &v)
	if err != nil {
		return false, err
	}
	switch v.Status {
	case "AVAILABLE":
		return true, nil
	case "PROCESSING_FAILED":
		return false, &publish.Error{Kind: publish.Rejected, Code: v.Status, Safe: "LinkedIn could not use the file."}
	case "WAITING_UPLOAD":
		return false, &publish.Error{Kind: publish.Expired, Code: v.Status, Safe: "LinkedIn does not have the whole file."}
	}
	return false, nil
}

// key writes a URN as the key in a path: everything that is punctuation to LinkedIn is escaped.
func key(urn string) string { return strings.ReplaceAll(url.QueryEscape(urn), "+", "%20") }
