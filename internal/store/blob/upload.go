// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
)

// Upload is the declaration of an object that a client may store.
type Upload struct {
	ContentType string
	// Bytes is the exact length; a negative value allows any length.
	Bytes int64
	// MD5 (16 bytes) or SHA256 (32 bytes) of the object; at most one is given. The store rejects other bytes.
	MD5, SHA256 []byte
	// Valid is how long the URL is valid.
	Valid time.Duration
}

// Headers in which the client sends the digest. The SHA-256 header has its S3 name on every store.
const (
	HeaderMD5    = "Content-MD5"
	HeaderSHA256 = "x-amz-checksum-sha256"
)

// Errors of CheckUpload.
var (
	ErrSize   = errors.New("the size of the object differs from the declared size")
	ErrDigest = errors.New("the checksum of the object differs from the declared checksum")
)

// SignedUpload returns a URL for writing exactly the declared object without a credential until the URL expires. It
// also returns the headers that the client must send. A folder and S3 reject another length, type or checksum and store
// nothing. Google Cloud Storage checks the length and an MD5, Azure neither. CheckUpload checks the rest.
func (s *Store) SignedUpload(ctx context.Context, key string, u Upload) (url string, headers map[string]string, err error) {
	if s.signer == nil {
		url, headers, err = s.cloud.SignUpload(ctx, s.bucket, key, u)
		if err != nil {
			return "", nil, fmt.Errorf("signing a URL for %s: %w", key, err)
		}
		return url, headers, nil
	}
	return s.signer.uploadURL(key, u), u.headers(), nil
}

// CheckUpload checks that an object matches its declaration. It returns ErrNotFound if the object is missing, and
// ErrSize or ErrDigest if it differs. The bytes are read only if the store did not check them and does not report their
// digest.
func (s *Store) CheckUpload(ctx context.Context, key string, u Upload) error {
	o, err := s.Stat(ctx, key)
	if err != nil {
		return err
	}
	if o.Bytes != u.Bytes {
		return fmt.Errorf("%w: %d bytes, not %d", ErrSize, o.Bytes, u.Bytes)
	}
	want, _ := u.digest()
	if s.signer != nil || want == nil { // the handler of a folder stores nothing that differs from its declaration
		return nil
	}
	got := o.MD5
	if u.MD5 == nil || got == nil {
		if got, err = s.cloud.Digest(ctx, s.bucket, key, u); err != nil {
			return fmt.Errorf("reading the checksum of %s: %w", key, err)
		}
	}
	if got == nil {
		if got, err = s.sum(ctx, key, u); err != nil {
			return err
		}
	}
	if !bytes.Equal(got, want) {
		return ErrDigest
	}
	return nil
}

func (s *Store) sum(ctx context.Context, key string, u Upload) ([]byte, error) {
	r, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	_, h := u.digest()
	if err := copyFlat(h, r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", key, err)
	}
	return h.Sum(nil), nil
}

// digest returns the declared digest, and the hash that computes it; nil if there is none.
func (u Upload) digest() ([]byte, hash.Hash) {
	switch {
	case u.MD5 != nil:
		return u.MD5, md5.New()
	case u.SHA256 != nil:
		return u.SHA256, sha256.New()
	}
	return nil, nil
}

func (u Upload) headers() map[string]string {
	h := map[string]string{"Content-Type": u.ContentType}
	if u.MD5 != nil {
		h[HeaderMD5] = base64.StdEncoding.EncodeToString(u.MD5)
	} else if u.SHA256 != nil {
		h[HeaderSHA256] = base64.StdEncoding.EncodeToString(u.SHA256)
	}
	return h
}

// uploadURL returns the signed URL of an upload to the folder. All its constraints are in the query and signed.
func (f *folderSigner) uploadURL(key string, u Upload) string {
	q := url.Values{
		"method": {http.MethodPut}, "type": {u.ContentType}, "bytes": {strconv.FormatInt(u.Bytes, 10)},
		"expires": {strconv.FormatInt(f.clock.Now().Add(u.Valid).Unix(), 10)},
	}
	if u.MD5 != nil {
		q.Set("md5", hex.EncodeToString(u.MD5))
	} else if u.SHA256 != nil {
		q.Set("sha256", hex.EncodeToString(u.SHA256))
	}
	q.Set("signature", f.uploadSignature(key, q))
	return f.prefix + escapedPath(key) + "?" + q.Encode()
}

// uploadSignature returns the signature of every parameter except the signature itself.
func (f *folderSigner) uploadSignature(key string, q url.Values) string {
	m := f.macs.Get().(*mac)
	defer f.macs.Put(m)
	t := append(m.text[:0], "upload\n"...) // no other signed text begins with this line
	for _, part := range []string{key, q.Get("method"), q.Get("type"), q.Get("bytes"), q.Get("expires"), q.Get("md5"), q.Get("sha256")} {
		t = append(append(strconv.AppendInt(t, int64(len(part)), 10), ':'), part...)
	}
	m.text = t
	return base64.RawURLEncoding.EncodeToString(m.sum256())
}

// checkUpload checks the URL of a signed upload and returns its key and declaration.
func (f *folderSigner) checkUpload(u *url.URL) (key string, up Upload, err error) {
	key, q := f.key(u), u.Query()
	if key == "" || !hmac.Equal([]byte(q.Get("signature")), []byte(f.uploadSignature(key, q))) {
		return "", Upload{}, errBadSignature
	}
	expires, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err != nil || q.Get("method") != http.MethodPut || f.clock.Now().Unix() > expires {
		return "", Upload{}, errBadSignature
	}
	up = Upload{ContentType: q.Get("type"), MD5: fromHex(q.Get("md5")), SHA256: fromHex(q.Get("sha256"))}
	if up.Bytes, err = strconv.ParseInt(q.Get("bytes"), 10, 64); err != nil {
		return "", Upload{}, errBadSignature
	}
	return key, up, nil
}

func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}

// stallTime is how long a client may send nothing before its connection is closed.
const stallTime = time.Minute

// serveUpload stores exactly the declared object, or nothing.
func (s *Store) serveUpload(w http.ResponseWriter, r *http.Request) {
	key, u, err := s.signer.checkUpload(r.URL)
	if err != nil {
		refusePut(w, http.StatusForbidden, "url", err.Error()+": declare the upload again")
		return
	}
	if status, parameter, why := u.refuses(r); status != 0 {
		// Close the connection: otherwise the server would read more of the rejected body.
		w.Header().Set("Connection", "close")
		refusePut(w, status, parameter, why)
		return
	}
	want, h := u.digest()
	body := io.Reader(&stallReader{r: r.Body, control: http.NewResponseController(w)})
	if h != nil {
		body = &digestReader{r: body, hash: h, want: want}
	}
	body = &wholeReader{countingReader: &countingReader{r: body}, want: u.Bytes}
	switch err := s.Put(r.Context(), key, u.ContentType, body); {
	case errors.Is(err, ErrDigest):
		refusePut(w, http.StatusBadRequest, "body", "the checksum of the bytes differs from the declared one")
	case errors.Is(err, io.ErrUnexpectedEOF):
		refusePut(w, http.StatusBadRequest, "body", "the connection ended before all bytes were received: send them again")
	case err != nil:
		refusePut(w, http.StatusInternalServerError, "", "the object could not be stored")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// refusePut writes the error of a PUT in the envelope of the API. parameter is the part of the request that is wrong. A
// status of 500 and above has no parameter and is retryable.
func refusePut(w http.ResponseWriter, status int, parameter, why string) {
	code, details := catalog.BadRequest, map[string]string{"parameter": parameter}
	if status >= http.StatusInternalServerError {
		code, details = catalog.InternalError, map[string]string{}
	}
	failure := map[string]any{
		"code": code, "message": strings.ToUpper(why[:1]) + why[1:] + ".",
		"retryable": status >= http.StatusInternalServerError, "details": details,
	}
	doc, _ := json.Marshal(map[string]any{"success": false, "errors": []any{failure}}) // strings can always be encoded
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(doc, '\n')) // the client may have disconnected
}

// refuses returns why the headers of a request do not match the declared upload, and the part of the request that is
// wrong. The status is 0 when the request may be the upload.
func (u Upload) refuses(r *http.Request) (status int, parameter, why string) {
	for name, value := range u.headers() {
		if r.Header.Get(name) != value {
			return http.StatusForbidden, name, "the header " + name + " must be sent as returned with this URL"
		}
	}
	switch n := r.ContentLength; {
	case u.Bytes < 0 || n == u.Bytes:
		return 0, "", ""
	case n < 0:
		return http.StatusLengthRequired, "Content-Length", "the header Content-Length is required"
	case n > u.Bytes:
		return http.StatusRequestEntityTooLarge, "body",
			fmt.Sprintf("the body has %d bytes, more than the declared %d", n, u.Bytes)
	default:
		return http.StatusBadRequest, "body", fmt.Sprintf("the body has %d bytes, fewer than the declared %d", n, u.Bytes)
	}
}

// stallReader ends the read of a connection that sends nothing for stallTime.
type stallReader struct {
	r       io.Reader
	control *http.ResponseController
}

func (p *stallReader) Read(b []byte) (int, error) {
	_ = p.control.SetReadDeadline(time.Now().Add(stallTime)) // fails only with the recorders of tests
	return p.r.Read(b)
}

// digestReader returns ErrDigest instead of io.EOF when the bytes have another digest, so that the store discards them.
type digestReader struct {
	r    io.Reader
	hash hash.Hash
	want []byte
}

func (d *digestReader) Read(b []byte) (int, error) {
	n, err := d.r.Read(b)
	_, _ = d.hash.Write(b[:n])
	if errors.Is(err, io.EOF) && !bytes.Equal(d.hash.Sum(nil), d.want) {
		return n, ErrDigest
	}
	return n, err
}
