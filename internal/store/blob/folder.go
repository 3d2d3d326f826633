// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob/driver"
	"k8s.io/utils/clock"
)

// HandlerPath is the path below which Handler serves a folder's signed URLs.
const HandlerPath = "/blobs/"

// MinSigningKey is the shortest key that signs URLs, in bytes.
const MinSigningKey = 32

var errBadSignature = errors.New("the URL is not valid or has expired")

// folderSigner signs and checks URLs of the form BASE/blobs/KEY?method=..&expires=..&type=..&signature=.. The key is in
// the path so that browsers and players see a file name with its extension.
type folderSigner struct {
	base  *url.URL
	clock clock.PassiveClock
	// prefix is the prefix of all URLs.
	prefix string
	macs   sync.Pool // of *mac
}

func newFolderSigner(base string, key []byte, c clock.PassiveClock) (*folderSigner, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("a file store needs the URL at which the reelops-apiserver serves it, not %q", base)
	}
	if len(key) < MinSigningKey {
		return nil, fmt.Errorf("a file store needs a signing key of at least %d bytes", MinSigningKey)
	}
	if c == nil {
		c = clock.RealClock{}
	}
	root := *u
	root.Path, root.RawPath, root.RawQuery, root.Fragment = path.Join("/", u.Path, HandlerPath)+"/", "", "", ""
	f := &folderSigner{base: u, clock: c, prefix: root.String()}
	f.macs.New = func() any { return &mac{hash: hmac.New(sha256.New, key)} }
	return f, nil
}

// URLFromKey returns a signed URL; gocloud.dev/blob calls it.
func (f *folderSigner) URLFromKey(_ context.Context, key string, o *driver.SignedURLOptions) (*url.URL, error) {
	return url.Parse(f.url(o.Method, key, o.ContentType, o.Expiry))
}

// url returns a signed URL. A page of a list holds dozens of URLs, so the text is built without url.URL for speed.
func (f *folderSigner) url(method, key, contentType string, valid time.Duration) string {
	expires := f.clock.Now().Add(valid).Unix()
	m := f.macs.Get().(*mac)
	defer f.macs.Put(m)
	signature := m.sign(method, key, expires, contentType)
	out := append(m.text[:0], f.prefix...)
	out = append(out, escapedPath(key)...)
	out = strconv.AppendInt(append(out, "?expires="...), expires, 10)
	if method != http.MethodGet {
		out = append(append(out, "&method="...), method...)
	}
	out = base64.RawURLEncoding.AppendEncode(append(out, "&signature="...), signature)
	if contentType != "" {
		out = append(append(out, "&type="...), url.QueryEscape(contentType)...)
	}
	m.text = out
	return string(out)
}

// escapedPath returns a key as it appears in a URL path. Keys that Reelops generates need no escaping.
func escapedPath(key string) string {
	for _, c := range []byte(key) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == '-' || c == '.' || c == '_' {
			continue
		}
		return (&url.URL{Path: "/" + key}).EscapedPath()[1:]
	}
	return key
}

// KeyFromURL checks a signed URL of the GET method and returns its key; gocloud.dev/blob calls it.
func (f *folderSigner) KeyFromURL(_ context.Context, u *url.URL) (string, error) {
	key, _, err := f.check(http.MethodGet, u)
	return key, err
}

func (f *folderSigner) signature(method, key string, expires int64, contentType string) string {
	m := f.macs.Get().(*mac)
	defer f.macs.Put(m)
	return base64.RawURLEncoding.EncodeToString(m.sign(method, key, expires, contentType))
}

// mac is a reusable keyed hash with its buffers.
type mac struct {
	hash      hash.Hash
	text, sum []byte
}

// sign returns a signature that is valid until the next use of m.
func (m *mac) sign(method, key string, expires int64, contentType string) []byte {
	// The lengths separate the parts: no two different requests give the same text.
	t := append(append(append(m.text[:0], "blob\n"...), method...), '\n')
	t = append(append(strconv.AppendInt(t, int64(len(key)), 10), ':'), key...)
	t = append(strconv.AppendInt(append(t, '\n'), expires, 10), '\n')
	m.text = append(t, contentType...)
	return m.sum256()
}

// sum256 returns the signature of the text; it is valid until the next use of m.
func (m *mac) sum256() []byte {
	m.hash.Reset()
	_, _ = m.hash.Write(m.text) // never fails
	m.sum = m.hash.Sum(m.sum[:0])
	return m.sum
}

// key returns the key that a URL names, without checking its signature.
func (f *folderSigner) key(u *url.URL) string {
	key, ok := strings.CutPrefix(u.Path, path.Join("/", f.base.Path, HandlerPath)+"/")
	if !ok {
		key, ok = strings.CutPrefix(u.Path, HandlerPath)
	}
	if !ok {
		return ""
	}
	return key
}

func (f *folderSigner) check(method string, u *url.URL) (key, contentType string, err error) {
	key = f.key(u)
	q := u.Query()
	expires, perr := strconv.ParseInt(q.Get("expires"), 10, 64)
	want := q.Get("method")
	if want == "" {
		want = http.MethodGet
	}
	contentType = q.Get("type")
	if key == "" || perr != nil || want != method {
		return "", "", errBadSignature
	}
	if !hmac.Equal([]byte(q.Get("signature")), []byte(f.signature(want, key, expires, contentType))) {
		return "", "", errBadSignature
	}
	if f.clock.Now().Unix() > expires {
		return "", "", errBadSignature
	}
	return key, contentType, nil
}

// Handler serves a folder's signed URLs: GET and HEAD with ranges, and PUT. A PUT may have up to maxPut bytes, or
// exactly the bytes that an upload declared. Errors of a PUT have the envelope of the API. All other errors are plain
// text, because browsers and players send those requests. Handler returns nil for a cloud store, which serves its own
// URLs.
func (s *Store) Handler(maxPut int64) http.Handler {
	if s.signer == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if method == http.MethodPut && r.URL.Query().Has("bytes") {
			s.serveUpload(w, r)
			return
		}
		key, contentType, err := s.signer.check(method, r.URL)
		if err != nil {
			if method == http.MethodPut {
				refusePut(w, http.StatusForbidden, "url", err.Error())
				return
			}
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		switch method {
		case http.MethodGet:
			s.serveGet(w, r, key)
		case http.MethodPut:
			s.servePut(w, r, key, contentType, maxPut)
		default:
			w.Header().Set("Allow", "GET, HEAD, PUT")
			http.Error(w, "only GET, HEAD and PUT are supported", http.StatusMethodNotAllowed)
		}
	})
}

func (s *Store) serveGet(w http.ResponseWriter, r *http.Request, key string) {
	o, err := s.bucket.NewReader(r.Context(), key, nil)
	if err != nil {
		err = known("reading", key, err)
		if errors.Is(err, ErrNotFound) {
			http.Error(w, "no such object", http.StatusNotFound)
			return
		}
		http.Error(w, "the object cannot be read at the moment", http.StatusServiceUnavailable)
		return
	}
	defer func() { _ = o.Close() }()
	h := w.Header()
	h.Set("Content-Type", ContentType(key))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	http.ServeContent(w, r, path.Base(key), o.ModTime(), o)
}

func (s *Store) servePut(w http.ResponseWriter, r *http.Request, key, contentType string, maxPut int64) {
	if contentType != "" && r.Header.Get("Content-Type") != contentType {
		refusePut(w, http.StatusForbidden, "Content-Type", "the Content-Type differs from the signed one")
		return
	}
	if r.ContentLength > maxPut {
		refusePut(w, http.StatusRequestEntityTooLarge, "body", fmt.Sprintf("the object is larger than %d bytes", maxPut))
		return
	}
	body := http.MaxBytesReader(w, r.Body, maxPut)
	counted := &countingReader{r: body}
	// A connection that breaks before the declared length must not leave a short object that looks whole.
	if err := s.Put(r.Context(), key, contentType, &wholeReader{countingReader: counted, want: r.ContentLength}); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refusePut(w, http.StatusRequestEntityTooLarge, "body", fmt.Sprintf("the object is larger than %d bytes", maxPut))
			return
		}
		refusePut(w, http.StatusInternalServerError, "", "the object could not be stored")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// wholeReader returns io.ErrUnexpectedEOF at an end before the declared length. A length below 0 is unknown.
type wholeReader struct {
	*countingReader
	want int64
}

func (w *wholeReader) Read(p []byte) (int, error) {
	n, err := w.countingReader.Read(p)
	if errors.Is(err, io.EOF) && w.want >= 0 && w.n < w.want {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}
