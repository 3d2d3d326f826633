// SPDX-License-Identifier: Apache-2.0

package envelope_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/store/envelope"
)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, envelope.KeyBytes) }

func sealer(t *testing.T, keys ...[]byte) *envelope.Sealer {
	t.Helper()
	s, err := envelope.New(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	secret = []byte(`{"access_token":"act.very-secret"}`)
	aad    = []byte("tokens/acme/tiktok-1")
)

func seal(t *testing.T, s *envelope.Sealer, plain []byte) []byte {
	t.Helper()
	sealed, err := s.Seal(plain, aad)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestSealAndOpen(t *testing.T) {
	s := sealer(t, key(1))
	for _, plain := range [][]byte{secret, {}, bytes.Repeat([]byte("x"), 1<<20)} {
		sealed := seal(t, s, plain)
		if len(sealed) != len(plain)+envelope.Overhead {
			t.Errorf("%d bytes became %d", len(plain), len(sealed))
		}
		got, err := s.Open(sealed, aad)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%d bytes do not round-trip: %v", len(plain), err)
		}
	}
	one, two := seal(t, s, secret), seal(t, s, secret)
	if bytes.Equal(one, two) || bytes.Contains(one, []byte("very-secret")) {
		t.Error("a sealed value contains the value")
	}
}

func TestOpen_DetectsChangedBits(t *testing.T) {
	s := sealer(t, key(1))
	sealed := seal(t, s, secret)
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if _, err := s.Open(changed, aad); err == nil {
				t.Fatalf("a change of bit %d of byte %d is not detected", bit, i)
			}
		}
		if _, err := s.Open(sealed[:i], aad); !errors.Is(err, envelope.ErrUnreadable) {
			t.Fatalf("truncated to %d bytes: got %v", i, err)
		}
	}
	if _, err := s.Open(append(bytes.Clone(sealed), 0), aad); !errors.Is(err, envelope.ErrUnreadable) {
		t.Errorf("longer: got %v", err)
	}
}

func TestOpen_OnlyForItsPurpose(t *testing.T) {
	s := sealer(t, key(1))
	sealed := seal(t, s, secret)
	for _, other := range []string{"", "tokens/acme/tiktok-2", "tokens/other/tiktok-1", string(aad) + "x"} {
		if _, err := s.Open(sealed, []byte(other)); !errors.Is(err, envelope.ErrUnreadable) {
			t.Errorf("it opens for %q: %v", other, err)
		}
	}
	// The halves of two values with the same purpose do not fit together.
	const head = envelope.Overhead - 12 - 16
	mixed := append(bytes.Clone(seal(t, s, secret)[:head]), sealed[head:]...)
	if _, err := s.Open(mixed, aad); !errors.Is(err, envelope.ErrUnreadable) {
		t.Errorf("two halves: got %v", err)
	}
}

func TestKeys_Rotation(t *testing.T) {
	before, both, after := sealer(t, key(1)), sealer(t, key(2), key(1)), sealer(t, key(2))
	old := seal(t, before, secret)
	if got, err := both.Open(old, aad); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("an old value with both keys: got %v", err)
	}
	if !both.Stale(old) || before.Stale(old) || !both.Stale(nil) {
		t.Error("want a value with the old key to be resealed, and one with the first key not")
	}
	anew := seal(t, both, secret)
	if both.Stale(anew) {
		t.Error("a new value is not sealed with the first key")
	}
	if _, err := after.Open(anew, aad); err != nil {
		t.Errorf("a new value without the old key: got %v", err)
	}
	if _, err := after.Open(old, aad); !errors.Is(err, envelope.ErrUnknownKey) {
		t.Errorf("an old value without its key: got %v", err)
	}
}

func TestKeyFile(t *testing.T) {
	good, second := base64.StdEncoding.EncodeToString(key(1)), base64.StdEncoding.EncodeToString(key(2))
	for _, c := range []struct{ why, text, err string }{
		{"one key", good + "\n", ""},
		{"without a line end", good, ""},
		{"two keys, a comment and Windows line ends", "# new\r\n" + second + "\r\n\r\n# old\r\n" + good + "\r\n", ""},
		{"nothing", "# nothing yet\n", "there is no key"},
		{"a short key", base64.StdEncoding.EncodeToString(key(1)[:31]), "line 1 is not a key"},
		{"invalid base64", good + "\nhunter2!\n", "line 2 is not a key"},
	} {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := envelope.OpenFile(path)
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%s: got %v", c.why, err)
		case c.err == "":
			if _, err := s.Open(seal(t, sealer(t, key(1)), secret), aad); err != nil {
				t.Errorf("%s: the key does not open its own value: %v", c.why, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: got %v", c.why, err)
		}
	}
	if _, err := envelope.OpenFile(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is accepted")
	}
}
