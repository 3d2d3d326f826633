// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"strings"
	"testing"
)

func TestCheckKey(t *testing.T) {
	for _, c := range []struct {
		why     string
		values  []string
		key     string
		present bool
		wrong   string // part of the sentence; empty for none
	}{
		{"no header", nil, "", false, ""},
		{"an ordinary key", []string{"order-17"}, "order-17", true, ""},
		{"quotes are part of it", []string{`"a"`}, `"a"`, true, ""},
		{"255 characters of any script", []string{strings.Repeat("眠", 255)}, strings.Repeat("眠", 255), true, ""},
		{"256 characters", []string{strings.Repeat("a", 256)}, "", true, "more than 255"},
		{"empty", []string{""}, "", true, "empty"},
		{"a tab", []string{"a\tb"}, "", true, "control"},
		{"a control character beyond ASCII", []string{"a\u0085b"}, "", true, "control"},
		{"a delete", []string{"a\x7f"}, "", true, "control"},
		{"bytes that are not UTF-8", []string{"a\xff"}, "", true, "UTF-8"},
		{"two keys", []string{"a", "b"}, "", true, "more than one"},
		{"the same key twice", []string{"a", "a"}, "", true, "more than one"},
	} {
		t.Run(c.why, func(t *testing.T) {
			key, present, p := CheckKey(c.values)
			if key != c.key || present != c.present || (p != nil) != (c.wrong != "") {
				t.Fatalf("got %q %v %v", key, present, p)
			}
			if p != nil && (p.Status != 400 || p.Code != "bad_request" || p.Details["parameter"] != "Idempotency-Key" || !strings.Contains(p.Message, c.wrong)) {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestScope_IsUnique(t *testing.T) {
	base := Scope{Namespace: "n", KeyUID: "uid", Method: "POST", Path: "/api/v1/slideshows", Key: "k"}
	change := func(f func(*Scope)) Scope {
		s := base
		f(&s)
		return s
	}
	seen := map[string]string{base.hash(): "the first"}
	for why, s := range map[string]Scope{
		"another API key":         change(func(s *Scope) { s.KeyUID = "other" }),
		"another method":          change(func(s *Scope) { s.Method = "PUT" }),
		"another path":            change(func(s *Scope) { s.Path = "/api/v1/slideshows/1/render" }),
		"another idempotency key": change(func(s *Scope) { s.Key = "K" }),
		"the same letters, split elsewhere between path and key": change(func(s *Scope) { s.Path, s.Key = "/api/v1/slideshow", "sk" }),
		"the same letters, split elsewhere after a length":       change(func(s *Scope) { s.KeyUID, s.Method = "uid4:POST", "" }),
	} {
		h := s.hash()
		if before, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", why, before)
		}
		seen[h] = why
	}
	if s := change(func(s *Scope) { s.Brand = "acme" }); s.hash() != base.hash() {
		t.Error("the brand changes the scope: it must change the fingerprint instead, so that another brand is a conflict")
	}
}
