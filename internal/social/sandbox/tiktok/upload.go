// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// uploader returns the account of an upload.
func (p *Platform) uploader(r *http.Request) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.byUpload[r.URL.Query().Get("upload_id")]; b != nil {
		return b.account
	}
	return ""
}

// part receives one part of a video. The last part starts posting.
func (p *Platform) part(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	b := p.byUpload[q.Get("upload_id")]
	p.mu.Unlock()
	switch {
	case b == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	case b.secret != q.Get("upload_token") || p.core.Now().Sub(b.openedAt) >= uploadLife:
		w.WriteHeader(http.StatusForbidden)
		return
	case !slices.Contains([]string{"video/mp4", "video/quicktime", "video/webm"}, r.Header.Get("Content-Type")):
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	first, last, total, right := contentRange(r.Header.Get("Content-Range"))
	if !right || total != b.size || last >= total || r.ContentLength != last-first+1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	p.mu.Lock()
	uploaded, repeats := b.uploaded, p.limits.Repeats
	p.mu.Unlock()
	progress := func(n int64) { w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", n, b.size)) }
	if repeats && last < uploaded {
		progress(uploaded)
		w.WriteHeader(taken(uploaded, b.size))
		return
	}
	if first != uploaded {
		progress(uploaded)
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return
	}
	if last+1 != b.partEnd(first) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// A part counts only when it is complete.
	n, err := b.file.WriteFrom(io.LimitReader(r.Body, r.ContentLength), first)
	if err != nil || n != r.ContentLength {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	uploaded = last + 1
	p.mu.Lock()
	b.uploaded = uploaded
	p.mu.Unlock()
	if uploaded == b.size {
		b.file.ContentType = r.Header.Get("Content-Type")
		p.arrived(b, "")
	}
	progress(uploaded)
	w.WriteHeader(taken(uploaded, b.size))
}

func taken(uploaded, size int64) int {
	if uploaded == size {
		return http.StatusCreated
	}
	return http.StatusPartialContent
}

// partEnd returns the end of the part that contains the offset.
func (b *publication) partEnd(offset int64) int64 {
	if offset >= (b.count-1)*b.chunk {
		return b.size
	}
	return (offset/b.chunk + 1) * b.chunk
}

// contentRange parses "bytes 0-99/1000".
func contentRange(s string) (first, last, total int64, right bool) {
	s, unit := strings.CutPrefix(s, "bytes ")
	from, rest, dash := strings.Cut(s, "-")
	to, all, slash := strings.Cut(rest, "/")
	var err [3]error
	first, err[0] = strconv.ParseInt(from, 10, 64)
	last, err[1] = strconv.ParseInt(to, 10, 64)
	total, err[2] = strconv.ParseInt(all, 10, 64)
	return first, last, total, unit && dash && slash && err == [3]error{} && first >= 0 && first <= last
}
