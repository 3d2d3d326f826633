// SPDX-License-Identifier: Apache-2.0

package callback_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/work/callback"
)

func signer(t *testing.T, b byte) *callback.Signer {
	t.Helper()
	s, err := callback.NewSigner(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check sends a request through the route of the package and returns the result of Check.
func check(
	t *testing.T, s *callback.Signer, address string, now time.Time,
) (kind callback.Kind, a callback.Attempt, err error) {
	t.Helper()
	err = errors.New("the route does not match")
	m := http.NewServeMux()
	m.HandleFunc("POST "+callback.Path+"{namespace}/{name}/{kind}", func(_ http.ResponseWriter, r *http.Request) {
		kind, a, err = s.Check(r, now)
	})
	m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, address, nil))
	return kind, a, err
}

func TestCheck_AcceptsOnlySignedURLs(t *testing.T) {
	s, now := signer(t, 1), time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	until := now.Add(time.Hour)
	mine := callback.Attempt{Namespace: "tenant", Name: "tea-r1", UID: "u-1", Number: 2}
	address := s.URL("http://front.example:81/", callback.KindOutcome, mine, until)
	if !strings.HasPrefix(address, "http://front.example:81/renders/tenant/tea-r1/outcome?") {
		t.Errorf("got URL %s", address)
	}
	kind, a, err := check(t, s, address, now)
	if err != nil || kind != callback.KindOutcome || a != mine {
		t.Fatalf("%s %+v: %v", kind, a, err)
	}
	if _, _, err := check(t, s, address, until); err != nil {
		t.Errorf("the signature is valid until its expiry: got %v", err)
	}

	changed := func(key, value string) string {
		u, _ := url.Parse(address)
		q := u.Query()
		q.Set(key, value)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for why, c := range map[string]struct {
		address string
		now     time.Time
		with    *callback.Signer
	}{
		"expired":                           {address, until.Add(time.Second), s},
		"signed with another key":           {address, now, signer(t, 2)},
		"a progress URL for the outcome":    {strings.Replace(address, "/outcome?", "/progress?", 1), now, s},
		"another namespace":                 {strings.Replace(address, "/tenant/", "/other/", 1), now, s},
		"another render":                    {strings.Replace(address, "/tea-r1/", "/tea-r2/", 1), now, s},
		"another attempt":                   {changed("attempt", "3"), now, s},
		"another object with the same name": {changed("uid", "u-2"), now, s},
		"a longer expiry":                   {changed("expires", "9999999999"), now, s},
		"an attempt that is not a number":   {changed("attempt", "two"), now, s},
		"an attempt that overflows":         {changed("attempt", "4294967298"), now, s},
		"no signature":                      {changed("signature", ""), now, s},
		"fields moved across their separators": {
			strings.Replace(changed("uid", "tea-r1\nu-1"), "/tea-r1/", "/%0A/", 1),
			now, s,
		},
	} {
		if _, _, err := check(t, c.with, c.address, c.now); !errors.Is(err, callback.ErrInvalid) {
			t.Errorf("%s: got %v", why, err)
		}
	}
}

func TestNewSigner_RejectsShortKeys(t *testing.T) {
	if _, err := callback.NewSigner(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes is accepted")
	}
}

func TestParseProgress_ChecksBounds(t *testing.T) {
	for doc, ok := range map[string]bool{
		`{"version":1,"percent":40,"frame":40,"frames":100,"fps":61.5}`: true,
		`{"version":1,"percent":0,"frame":0,"frames":0,"fps":0}`:        true,
		`{"version":1,"percent":100,"frame":9,"frames":9,"fps":1}`:      true,
		`{"version":1,"percent":101,"frame":9,"frames":9,"fps":1}`:      false,
		`{"version":1,"percent":5,"frame":10,"frames":9,"fps":1}`:       false,
		`{"version":1,"percent":5,"frame":-1,"frames":9,"fps":1}`:       false,
		`{"version":1,"percent":5,"frame":1,"frames":9,"fps":-1}`:       false,
		`{"version":9,"percent":5,"frame":1,"frames":9,"fps":1}`:        false,
		`{"version":1,"percent":5,"eta":3}`:                             false,
	} {
		if _, err := callback.ParseProgress([]byte(doc)); (err == nil) != ok {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}
