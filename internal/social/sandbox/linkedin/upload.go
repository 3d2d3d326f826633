// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"bytes"
	"context"
	"image"
	_ "image/gif" // formats of pictures
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// URN prefixes of files. The file's ID follows, so that posts of an earlier run can be matched by their files.
const (
	imageURN = "urn:li:image:D4E10AQ"
	videoURN = "urn:li:video:D4D10AQ"
)

const (
	partBytes  = 4 << 20
	uploadLife = 24 * time.Hour
	maxVideo   = 500 << 20
	minVideo   = 75 << 10
	maxImage   = 10 << 20
	shortest   = 3 * time.Second
	longest    = 30 * time.Minute
	maxPixels  = 36_152_320
)

// asset is a file that an author uploads.
type asset struct {
	urn, owner, kind string
	size             int64
	file             *sandbox.File
	parts            []*part
	// cover of a video. covered reports whether the upload announced one.
	cover   *sandbox.File
	covered bool
	// doneAt is when the upload was completed. failed is the reason why the file cannot be used.
	doneAt time.Time
	failed string
}

// part is one upload URL.
type part struct {
	asset       *asset
	first, last int64 // last is -1 for an image, which is uploaded in one piece of any length
	expires     time.Time
	etag        string
	// cover reports whether the upload receives the cover of the asset.
	cover bool
}

// initialize opens an upload.
func (p *Platform) initialize(w http.ResponseWriter, r *request, kind string) {
	var in struct {
		Request struct {
			Owner string `json:"owner"`
			Size  int64  `json:"fileSizeBytes"`
			Cover bool   `json:"uploadThumbnail"`
		} `json:"initializeUploadRequest"`
	}
	if !r.decode(w, &in) {
		return
	}
	if !p.mayWrite(r, in.Request.Owner) {
		denied(w, kind+".ACTION-initializeUpload.NO_VERSION")
		return
	}
	if role := p.role(); kind == "videos" && in.Request.Owner != r.member.ID && role != roleAdmin {
		forbidden(w)
		return
	}
	if kind == "videos" && (in.Request.Size < 1 || in.Request.Size > maxVideo) {
		invalid(w, http.StatusBadRequest, "initializeUploadRequest/fileSizeBytes", "INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of range")
		return
	}
	f, err := p.core.NewFile(map[string]string{"videos": "video/mp4", "images": "image/jpeg"}[kind])
	if err != nil {
		refuse(w, http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "Internal Server Error")
		return
	}
	a := &asset{owner: in.Request.Owner, kind: kind, size: in.Request.Size, file: f}
	p.mu.Lock()
	defer p.mu.Unlock()
	life := p.rules.UploadLife
	if life == 0 {
		life = uploadLife
	}
	expires := p.core.Now().Add(life)
	open := func(first, last int64) string {
		x := &part{asset: a, first: first, last: last, expires: expires}
		id := sandbox.Letters(40)
		p.parts[id], a.parts = x, append(a.parts, x)
		return p.core.URL(name, "/dms-uploads/"+id)
	}
	if kind == "images" {
		a.urn = imageURN + f.ID
		p.assets[a.urn] = a
		write(w, http.StatusOK, map[string]any{"value": map[string]any{"image": a.urn, "uploadUrl": open(0, -1), "uploadUrlExpiresAt": expires.UnixMilli()}})
		return
	}
	a.urn = videoURN + f.ID
	p.assets[a.urn] = a
	instructions := []any{}
	for first := int64(0); first < a.size; first += partBytes {
		last := min(first+partBytes, a.size) - 1
		instructions = append(instructions, map[string]any{"firstByte": first, "lastByte": last, "uploadUrl": open(first, last)})
	}
	value := map[string]any{"video": a.urn, "uploadToken": "", "uploadUrlsExpireAt": expires.UnixMilli(), "uploadInstructions": instructions}
	if a.covered = in.Request.Cover; a.covered {
		id := sandbox.Letters(40)
		p.parts[id] = &part{asset: a, last: -1, expires: expires, cover: true}
		value["thumbnailUploadUrl"] = p.core.URL(name, "/dms-uploads/"+id)
	}
	write(w, http.StatusOK, map[string]any{"value": value})
}

// put receives the bytes of a part. Uploading the same part again is allowed.
func (p *Platform) put(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	x := p.parts[r.PathValue("part")]
	p.mu.Unlock()
	switch {
	case x == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	case !p.core.Now().Before(x.expires):
		invalid(w, http.StatusBadRequest, "", "EXPIRED_UPLOAD_URL", "The upload URL has expired")
		return
	}
	if x.cover {
		p.putCover(w, r, x.asset)
		return
	}
	most := x.last - x.first + 1
	if x.last < 0 {
		most = maxImage
	}
	doc, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil || len(doc) == 0 || int64(len(doc)) > most || (x.last >= 0 && int64(len(doc)) != most) {
		refuse(w, http.StatusBadRequest, "BAD_REQUEST", "The number of bytes is not the one of this part")
		return
	}
	if x.last < 0 {
		if err := x.asset.file.Truncate(0); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	if _, err := x.asset.file.WriteFrom(bytes.NewReader(doc), x.first); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	etag := "/ambry-video/signedId/" + sandbox.Letters(32)
	p.mu.Lock()
	x.etag = etag
	p.mu.Unlock()
	if x.last < 0 {
		p.arrived(x.asset)
	}
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusCreated)
}

// putCover receives the cover of a video.
func (p *Platform) putCover(w http.ResponseWriter, r *http.Request, a *asset) {
	if r.Header.Get("Media-Type-Family") != "STILLIMAGE" {
		refuse(w, http.StatusBadRequest, "BAD_REQUEST", "A thumbnail is sent with media-type-family STILLIMAGE")
		return
	}
	f, err := p.core.NewFile("image/jpeg")
	if err == nil {
		_, err = f.WriteFrom(http.MaxBytesReader(w, r.Body, maxImage), 0)
	}
	if err != nil || judgeImage(f) != "" {
		refuse(w, http.StatusBadRequest, "BAD_REQUEST", "The thumbnail is no image")
		return
	}
	p.mu.Lock()
	a.cover = f
	p.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
}

// finalize completes a multipart video upload.
func (p *Platform) finalize(w http.ResponseWriter, r *request) {
	var in struct {
		Request struct {
			Video string   `json:"video"`
			Token *string  `json:"uploadToken"`
			Parts []string `json:"uploadedPartIds"`
		} `json:"finalizeUploadRequest"`
	}
	if !r.decode(w, &in) {
		return
	}
	p.mu.Lock()
	a := p.assets[in.Request.Video]
	var want []string
	done := false
	if a != nil {
		for _, x := range a.parts {
			want = append(want, x.etag)
		}
		done = !a.doneAt.IsZero()
		if a.covered && a.cover == nil {
			want = append(want, "") // the cover is missing
		}
	}
	p.mu.Unlock()
	switch {
	case a == nil || a.kind != "videos":
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.mayWrite(r, a.owner):
		denied(w, "videos.ACTION-finalizeUpload.NO_VERSION")
		return
	case in.Request.Token == nil:
		invalid(w, http.StatusBadRequest, "finalizeUploadRequest/uploadToken", "MISSING_FIELD", "uploadToken is required")
		return
	case slices.Contains(want, "") || !slices.Equal(want, in.Request.Parts):
		invalid(w, http.StatusBadRequest, "finalizeUploadRequest/uploadedPartIds", "UPDATING_ASSET_FAILED",
			"The parts are not those that were uploaded, in their order")
		return
	}
	if !done {
		p.arrived(a)
	}
	w.WriteHeader(http.StatusOK)
}

// arrived validates a completely uploaded file.
func (p *Platform) arrived(a *asset) {
	failed := ""
	if f := p.core.Outcome(name, p.account(a.owner).Name); f != nil {
		if failed = f.Code; failed == "" {
			failed = "PROCESSING_ERROR"
		}
	}
	if failed == "" {
		failed = judge(a)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a.doneAt, a.failed = p.core.Now(), failed
}

// judge returns the reason why a file cannot be used, or an empty string.
func judge(a *asset) string {
	if a.kind == "images" {
		return judgeImage(a.file)
	}
	if a.file.Size() < minVideo {
		return "FILE_TOO_SMALL"
	}
	film, err := a.file.Probe(context.Background())
	switch {
	case err != nil || !strings.Contains(film.Format, "mp4"):
		return "UNSUPPORTED_FORMAT"
	case film.Duration < shortest || film.Duration > longest:
		return "INVALID_DURATION"
	}
	return ""
}

func judgeImage(f *sandbox.File) string {
	in, err := f.Open()
	if err != nil {
		return "UNREADABLE"
	}
	defer func() { _ = in.Close() }()
	c, _, err := image.DecodeConfig(in) // the formats imported by this file
	switch {
	case err != nil:
		return "UNSUPPORTED_FORMAT"
	case c.Width*c.Height >= maxPixels:
		return "TOO_MANY_PIXELS"
	}
	return ""
}

// state returns the status of a file. The caller holds the lock.
func (p *Platform) state(a *asset) string {
	switch {
	case a.doneAt.IsZero():
		return "WAITING_UPLOAD"
	case p.core.Now().Before(a.doneAt.Add(p.core.Processing())):
		return "PROCESSING"
	case a.failed != "":
		return "PROCESSING_FAILED"
	}
	return "AVAILABLE"
}

// look returns the status of a file. Members may upload images but not read their status.
func (p *Platform) look(w http.ResponseWriter, r *request, kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.assets[r.PathValue("urn")]
	switch {
	case a == nil || a.kind != kind:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.mayWrite(r, a.owner), kind == "images" && !p.administers(r, a.owner):
		denied(w, kind+".GET.NO_VERSION")
		return
	}
	out := map[string]any{"id": a.urn, "owner": a.owner, "status": p.state(a)}
	if a.failed != "" && out["status"] == "PROCESSING_FAILED" {
		out["processingFailureReason"] = a.failed
	}
	write(w, http.StatusOK, out)
}

func itoa(n int) string { return strconv.Itoa(n) }
