// SPDX-License-Identifier: Apache-2.0

// Package callback has the signed URL at which a render pod reports its progress, and the report. The pod has no other
// credential for the front end. A URL is valid for one attempt of one RenderJob, until it expires.
package callback

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Path is the prefix of the paths at which the front end's internal listener accepts reports.
const Path = "/renders/"

// ErrInvalid means that a URL was not signed with this key or has expired.
var ErrInvalid = errors.New("the callback URL is not valid or has expired")

// Kind is the kind of report that a URL accepts.
type Kind string

// Kinds of reports.
const (
	// KindProgress is for progress reports.
	KindProgress Kind = "progress"
	// KindOutcome is for pods of the previous release, which reported their outcome. They may end after an upgrade.
	KindOutcome Kind = "outcome"
)

// Attempt names one attempt of one RenderJob.
type Attempt struct {
	Namespace, Name, UID string
	Number               int32
}

// Signer signs and checks URLs with one key.
type Signer struct{ key []byte }

// NewSigner returns a signer. The key must have at least 32 bytes.
func NewSigner(key []byte) (*Signer, error) {
	if len(key) < 32 {
		return nil, errors.New("the callback signing key has fewer than 32 bytes")
	}
	return &Signer{key: key}, nil
}

// URL returns the URL for one kind of report of an attempt, valid until a time.
func (s *Signer) URL(base string, k Kind, a Attempt, until time.Time) string {
	q := url.Values{}
	q.Set("uid", a.UID)
	q.Set("attempt", strconv.FormatInt(int64(a.Number), 10))
	q.Set("expires", strconv.FormatInt(until.Unix(), 10))
	q.Set("signature", s.signature(k, a, until.Unix()))
	return strings.TrimSuffix(base, "/") + Path + url.PathEscape(a.Namespace) + "/" + url.PathEscape(a.Name) + "/" +
		string(k) + "?" + q.Encode()
}

// Check returns the kind of report and the attempt that a request is about, or ErrInvalid. The route has the path
// values namespace, name and kind.
func (s *Signer) Check(r *http.Request, now time.Time) (Kind, Attempt, error) {
	q := r.URL.Query()
	n, err1 := strconv.ParseInt(q.Get("attempt"), 10, 32)
	expires, err2 := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err1 != nil || err2 != nil {
		return "", Attempt{}, ErrInvalid
	}
	a := Attempt{Namespace: r.PathValue("namespace"), Name: r.PathValue("name"), UID: q.Get("uid"), Number: int32(n)}
	k := Kind(r.PathValue("kind"))
	if !hmac.Equal([]byte(q.Get("signature")), []byte(s.signature(k, a, expires))) || now.Unix() > expires {
		return "", Attempt{}, ErrInvalid
	}
	return k, a, nil
}

// signature returns the signature of a kind of report of an attempt that expires at a Unix time.
func (s *Signer) signature(k Kind, a Attempt, expires int64) string {
	m := hmac.New(sha256.New, s.key)
	fmt.Fprintf(m, "render\n%s\n%s\n%s\n%s\n%d\n%d", k, a.Namespace, a.Name, a.UID, a.Number, expires)
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}
