// SPDX-License-Identifier: Apache-2.0

package intake

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/utils/clock"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blobkey"
)

// Kept describes a file by its first bytes.
type Kept struct {
	// ContentType is the content type of the file.
	ContentType string
	// Kind is one word for users: image, video or audio.
	Kind string
	// Limit is the largest accepted size, in bytes.
	Limit int64
	// FetchTime is how long a server may take to send the file; 0 means DefaultFetchTime.
	FetchTime time.Duration
}

const (
	// DefaultFetchTime is how long a server may take to send a file.
	DefaultFetchTime = 2 * time.Minute
	// ImageFetchTime is how long a server may take to send an image, and to send the beginning of any file.
	ImageFetchTime = 30 * time.Second
)

// Judge describes a file by its first bytes, or refuses it.
type Judge func(head []byte) (Kept, *Refusal)

// Upload reports whether a key of the store is the key of an upload of the namespace.
func Upload(namespace, key string) bool { return strings.HasPrefix(key, "uploads/"+namespace+"/") }

// MayRead reports whether a manifest of the namespace may name the key. A namespace is a tenant, and no tenant may read
// the files of another.
func MayRead(namespace, key string) bool { return blobkey.Permit(namespace, key) == nil }

// bring copies a source under the prefix and returns the key. The error is a *Refusal, retryable if it may be
// transient, or the error of the context.
func (b *Intake) bring(ctx context.Context, f *File, prefix string) (key string, err error) {
	if url := f.Source.URL; url != nil {
		key, err = b.fetch(ctx, *url, prefix, f.Judge)
	} else {
		key, err = b.copy(ctx, f.Object.GetNamespace(), *f.Source.BlobKey, prefix, f.Judge)
	}
	var refused *Refusal
	switch {
	case err == nil || errors.As(err, &refused):
		return key, err
	case ctx.Err() != nil:
		return "", ctx.Err() // the manager is stopping: the next one continues
	}
	return "", away("The blob store is not available", err)
}

func away(message string, cause error) *Refusal {
	r := Refuse(catalog.GenerationFailed, ReasonUnavailable, "%s", message)
	r.Retryable, r.Cause = true, cause
	return r
}

func (b *Intake) copy(ctx context.Context, namespace, src, prefix string, judge Judge) (string, error) {
	if !MayRead(namespace, src) {
		return "", Refuse(catalog.ValidationFailed, ReasonForeignKey,
			"The blob key is not readable from this namespace: use a key below imports/%s, imports/shared or uploads/%s", namespace, namespace)
	}
	missing := Refuse(catalog.ValidationFailed, ReasonMissing, "The blob store has no object with this key")
	o, err := b.Store.Stat(ctx, src)
	if errors.Is(err, blob.ErrNotFound) {
		return "", missing
	} else if err != nil {
		return "", err
	}
	head, err := b.Store.Head(ctx, src, sniff.Bytes)
	if errors.Is(err, blob.ErrNotFound) {
		return "", missing
	} else if err != nil {
		return "", err
	}
	kept, refused := judge(head)
	if refused != nil {
		return "", refused
	}
	if o.Bytes > kept.Limit {
		return "", tooLarge(kept.Kind, kept.Limit)
	}
	key := prefix + fileName(kept.ContentType)
	if err = b.Store.Copy(ctx, key, src); errors.Is(err, blob.ErrNotFound) {
		return "", missing
	}
	return key, err
}

func fileName(contentType string) string { return "file" + sniff.Extension(contentType) }

// fetch streams a file into the store. It judges the file by its beginning, before most of the file has arrived.
func (b *Intake) fetch(ctx context.Context, url, prefix string, judge Judge) (string, error) {
	began := b.Clock.Now()
	body, err := b.Fetch.Get(ctx, url, max(catalog.MaxVideoBytes, catalog.MaxTrackBytes))
	if err != nil {
		return "", fetchFault(err)
	}
	defer func() { _ = body.Close() }()
	timed := &untilReader{r: body, clock: b.Clock, until: began.Add(ImageFetchTime)}
	remote := &remembering{r: timed}
	head := make([]byte, sniff.Bytes)
	n, err := io.ReadFull(remote, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fetchFault(err)
	}
	kept, refused := judge(head[:n])
	if refused != nil {
		return "", refused
	}
	timed.until = began.Add(cmp.Or(kept.FetchTime, DefaultFetchTime))
	key := prefix + fileName(kept.ContentType)
	whole := &atMost{r: io.MultiReader(bytes.NewReader(head[:n]), remote), left: kept.Limit}
	err = b.Store.Put(ctx, key, kept.ContentType, whole)
	switch {
	case errors.Is(err, fetch.ErrTooLarge):
		return "", tooLarge(kept.Kind, kept.Limit)
	case remote.err != nil:
		return "", fetchFault(remote.err)
	}
	return key, err
}

// fetchFault returns the refusal for an error of the fetch client.
func fetchFault(err error) error {
	var answer fetch.StatusError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, fetch.ErrForbidden):
		r := Refuse(catalog.ValidationFailed, fetch.ReasonForbidden, "The URL is not allowed: files are downloaded only over https from public addresses")
		r.Cause = err
		return r
	case errors.Is(err, fetch.ErrTooLarge):
		return tooLarge("video", catalog.MaxVideoBytes)
	case errors.As(err, &answer):
		s := int(answer)
		if s >= 500 || s == http.StatusTooManyRequests || s == http.StatusRequestTimeout {
			return away(fmt.Sprintf("The server answered %d instead of the file", s), err)
		}
		return Refuse(catalog.ValidationFailed, ReasonUnavailable, "The server answered %d instead of the file", s)
	case errors.Is(err, fetch.ErrUnknownHost):
		r := Refuse(catalog.ValidationFailed, ReasonUnknownHost, "The name of the server has no address: check the URL")
		r.Retryable, r.Lasts, r.Cause = true, true, err
		return r
	case errors.Is(err, fetch.ErrTooSlow):
		return away("The server is too slow", err)
	case errors.Is(err, fetch.ErrUnusable):
		return away("The server did not send the whole file", err)
	}
	why := err.Error() // errors of this project contain no addresses and URLs
	return away(strings.ToUpper(why[:1])+why[1:], err)
}

// remembering keeps the error of a reader, so that it can be distinguished from errors of the consumer.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// untilReader returns ErrTooSlow for reads that end after a deadline. The client's own limits end a read that receives
// nothing.
type untilReader struct {
	r     io.Reader
	clock clock.PassiveClock
	until time.Time
}

func (u *untilReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err == nil && u.clock.Now().After(u.until) {
		err = fetch.ErrTooSlow
	}
	return n, err
}

// atMost returns ErrTooLarge once more than left bytes were read.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	if int64(len(p)) > a.left+1 {
		p = p[:a.left+1]
	}
	n, err := a.r.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return 0, fetch.ErrTooLarge
	}
	return n, err
}

// SourceUpload returns the key of the upload that is the source; "" if the source is not an upload.
func SourceUpload(namespace string, s v1beta1.MediaSource) string {
	if s.BlobKey != nil && MayRead(namespace, *s.BlobKey) && Upload(namespace, *s.BlobKey) {
		return *s.BlobKey
	}
	return ""
}
