// SPDX-License-Identifier: Apache-2.0

package upload_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/upload"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func sealer(t *testing.T, key byte, c *testclock.FakePassiveClock) *upload.Sealer {
	t.Helper()
	s, err := upload.NewSealer(bytes.Repeat([]byte{key}, 32), 0, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var claim = upload.Claim{
	Namespace: "acme", Brand: 7, Media: 42, Title: "Träume \"quoted\" \u2028", ContentType: "image/png", Bytes: 10 << 20, MD5: bytes.Repeat([]byte{0, 255}, 8),
}

func TestSealAndOpen(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	token, err := sealer(t, 1, c).Seal(claim)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sealer(t, 1, c).Open(token, "acme", 7) // another replica
	if err != nil {
		t.Fatal(err)
	}
	want := claim
	want.Expires = start.Add(24 * time.Hour).Unix()
	if !cmp.Equal(*got, want) {
		t.Error(cmp.Diff(want, *got))
	}
	if got.Key() != "uploads/acme/42" {
		t.Errorf("got key %s", got.Key())
	}
	if strings.ContainsAny(token, "/+=\" ") {
		t.Errorf("the token needs escaping: %s", token)
	}
}

func TestSeal_TokenLength(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	long := claim
	long.Namespace, long.Title, long.SHA256 = strings.Repeat("n", 63), upload.Title(strings.Repeat("\U0001F600", 300)), bytes.Repeat([]byte{1}, 32)
	for _, title := range []string{long.Title, upload.Title(strings.Repeat("\u2028x", 300)), strings.Repeat("<", catalog.MaxTitleCharacters)} {
		long.Title = title
		token, err := sealer(t, 1, c).Seal(long)
		if err != nil || len(token) > upload.MaxToken {
			t.Errorf("got %d bytes, %v", len(token), err)
		}
		if _, err := sealer(t, 1, c).Open(token, long.Namespace, 7); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_RejectedTokens(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	s := sealer(t, 1, c)
	token, err := s.Seal(claim)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := base64.RawURLEncoding.DecodeString(token)
	raw[len(raw)-5] ^= 1
	flipped := base64.RawURLEncoding.EncodeToString(raw)
	for _, x := range []struct {
		why, token, namespace string
		brand                 int64
		after                 time.Duration
		with                  *upload.Sealer
		want                  error
	}{
		{"in its last second", token, "acme", 7, 24*time.Hour - time.Second, s, nil},
		{"expired", token, "acme", 7, 24 * time.Hour, s, upload.ErrExpired},
		{"another brand", token, "acme", 8, 0, s, upload.ErrUnknown},
		{"another brand, expired", token, "acme", 8, 48 * time.Hour, s, upload.ErrUnknown},
		{"another account", token, "beta", 7, 0, s, upload.ErrUnknown},
		{"another installation", token, "acme", 7, 0, sealer(t, 2, c), upload.ErrUnknown},
		{"changed", flipped, "acme", 7, 0, s, upload.ErrUnknown},
		{"cut", token[:len(token)-2], "acme", 7, 0, s, upload.ErrUnknown},
		{"longer", token + "AA", "acme", 7, 0, s, upload.ErrUnknown},
		{"empty", "", "acme", 7, 0, s, upload.ErrUnknown},
		{"invalid base64", "what's this?", "acme", 7, 0, s, upload.ErrUnknown},
		{"huge", strings.Repeat("A", 1<<20), "acme", 7, 0, s, upload.ErrUnknown},
	} {
		c.SetTime(start.Add(x.after))
		if _, err := x.with.Open(x.token, x.namespace, x.brand); !errors.Is(err, x.want) {
			t.Errorf("%s: got %v, want %v", x.why, err, x.want)
		}
	}
}

func TestNew_ShortKey(t *testing.T) {
	if _, err := upload.NewSealer(make([]byte, 31), 0, testclock.NewFakePassiveClock(start)); err == nil {
		t.Error("a weak key is accepted")
	}
}

func TestKeys(t *testing.T) {
	for key, ok := range map[string]bool{
		"uploads/acme/42": true, "uploads/acme/042": false, "uploads/acme/0": false, "uploads/acme/-1": false, "uploads/acme/x": false,
		"uploads/acme/4/2": false, "uploads/acme": false, "media/acme/42": false, "uploads/acme/42.17f.tmp": false,
	} {
		namespace, id, got := upload.ParseKey(key)
		if got != ok || ok && (namespace != "acme" || id != 42) {
			t.Errorf("%s: got %s %d %v", key, namespace, id, got)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"holiday.jpg", "holiday"},
		{"My holiday. Part 2.jpeg", "My holiday. Part 2"},
		{"no ending", "no ending"},
		{"../../etc/passwd.png", "passwd"},
		{`C:\Users\Anna\Bild.png`, "Bild"},
		{"/", "Untitled"},
		{"..", "Untitled"},
		{"   ", "Untitled"},
		{"\x00\n\r\t", "Untitled"},
		{".jpg", ".jpg"},
		{"a\x00b\nc\td.png", "ab c d"},
		{"evil\u202egnp.exe", "evilgnp"},
		{"\u202a\u200b.png", ".png"},
		{"ünïcode – ok.webp", "ünïcode – ok"},
		{"क्\u200dष.png", "क्\u200dष"},
		{"👩\u200d👧.png", "👩\u200d👧"},
		{"<script>alert(1)<!-- .png", "<script>alert(1)<!--"},
		{"bad \xff\xfe bytes.gif", "bad bytes"},
		{strings.Repeat("ä", 500) + ".png", strings.Repeat("ä", 200)},
		{"x." + strings.Repeat("y", 300), "x"},
	} {
		got := upload.Title(c.name)
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("../../x\x00.png")
	f.Add("a\u2028b/..")
	f.Fuzz(func(t *testing.T, name string) {
		got := upload.Title(name)
		if n := utf8.RuneCountInString(got); n == 0 || n > catalog.MaxTitleCharacters || !utf8.ValidString(got) {
			t.Errorf("%q: got %q", name, got)
		}
		if strings.ContainsAny(got, "/\\\x00\n\r") {
			t.Errorf("%q: got %q", name, got)
		}
	})
}

func TestPurge_AfterTheLastClaim(t *testing.T) {
	if got := upload.PurgeAfter(upload.DefaultTTL); got != 25*time.Hour {
		t.Errorf("got %s", got)
	}
}
