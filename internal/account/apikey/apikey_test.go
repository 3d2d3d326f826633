// SPDX-License-Identifier: Apache-2.0

package apikey_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

func TestNew_SecretFormat(t *testing.T) {
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	if !regexp.MustCompile(`^rlo_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$`).MatchString(secret) {
		t.Errorf("got a secret of %d characters with another format", len(secret))
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(hash) || hash != apikey.Hash(secret) {
		t.Errorf("hash %q is not the SHA-256 of the secret", hash)
	}
	if want := "rlo_...." + secret[len(secret)-4:]; hint != want {
		t.Errorf("hint %q, want %q", hint, want)
	}
	if err := apikey.CheckShape(apikey.DefaultPrefix, secret); err != nil {
		t.Errorf("a new secret is rejected: %v", err)
	}
	if again, _, _ := apikey.New(apikey.DefaultPrefix); again == secret {
		t.Error("two secrets are equal")
	}
}

func TestCheckShape(t *testing.T) {
	secret, _, _ := apikey.New("rlo_")
	swap := func(i int) string {
		b := []byte(secret)
		if b[i] == 'A' {
			b[i] = 'B'
		} else {
			b[i] = 'A'
		}
		return string(b)
	}
	for name, damaged := range map[string]string{
		"empty":                  "",
		"prefix only":            "rlo_",
		"truncated":              secret[:len(secret)-1],
		"one more character":     secret + "A",
		"another prefix":         "abc_" + strings.TrimPrefix(secret, "rlo_"),
		"a typo in the middle":   swap(20),
		"a typo in the checksum": swap(len(secret) - 1),
		"a space at the end":     secret + " ",
		"invalid characters":     "rlo_" + strings.Repeat("!", 49),
	} {
		t.Run(name, func(t *testing.T) {
			if err := apikey.CheckShape("rlo_", damaged); !errors.Is(err, apikey.ErrShape) {
				t.Errorf("got %v, want ErrShape", err)
			}
		})
	}
}

func TestCheckPrefix(t *testing.T) {
	for prefix, ok := range map[string]bool{
		"rlo_": true, "acme2_": true, "": false, "_": false, "rlo": false, "RLO_": false, "2a_": false, "with space_": false,
		"abcdefghijklmnopq_": false,
	} {
		if got := apikey.CheckPrefix(prefix) == nil; got != ok {
			t.Errorf("prefix %q: got %v, want %v", prefix, got, ok)
		}
	}
}

func TestExpand(t *testing.T) {
	type s = []v1beta1.Scope
	for _, c := range []struct {
		why          string
		stored, want s
	}{
		{"no scopes mean read", nil, s{"brand:read", "media:read", "posts:read", "analytics:read"}},
		{"legacy read", s{"read"}, s{"brand:read", "media:read", "posts:read", "analytics:read"}},
		{"legacy write does not include read", s{"write"}, s{"media:write", "content:write", "posts:write"}},
		{"brand:write and webhooks:write are in no legacy scope but admin", s{"read", "write"}, s{
			"brand:read", "media:read", "media:write", "content:write", "posts:read", "posts:write", "analytics:read",
		}},
		{"legacy admin includes every scope and all brands", s{"admin"}, apikey.Scopes},
		{"published order, each once", s{"brands:all", "brand:read", "read"}, s{"brand:read", "media:read", "posts:read", "analytics:read", "brands:all"}},
		{"unknown scopes are dropped", s{"brand:read", "future:thing"}, s{"brand:read"}},
		{"only unknown scopes mean none", s{"future:thing"}, s{}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if d := cmp.Diff(c.want, apikey.Expand(c.stored)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	for scope, want := range map[v1beta1.Scope]bool{"brand:read": true, "admin": true, "future:thing": false, "": false} {
		if got := apikey.Known(scope); got != want {
			t.Errorf("%q: got %v, want %v", scope, got, want)
		}
	}
}
