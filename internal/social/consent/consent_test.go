// SPDX-License-Identifier: Apache-2.0

package consent_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/consent"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func sealer(t *testing.T, key byte, c *testclock.FakePassiveClock) *consent.Sealer {
	t.Helper()
	s, err := consent.NewSealer(bytes.Repeat([]byte{key}, 32), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var asked = consent.Link{Namespace: "acme", Brand: "coffee", Platform: "tiktok", Key: 7}

func TestState_RoundTrip(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	state, link, err := sealer(t, 1, c).Link(asked)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(state, "acme") || len(state) > 500 {
		t.Errorf("got a state of %d characters, want an opaque one that fits into a URL", len(state))
	}
	got, err := sealer(t, 1, c).OpenLink(state) // another replica
	if err != nil {
		t.Fatal(err)
	}
	want := asked
	want.Nonce, want.Expires = link.Nonce, start.Add(10*time.Minute).Unix()
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	_, again, err := sealer(t, 1, c).Link(asked)
	if err != nil || again.RequestName() == link.RequestName() {
		t.Errorf("two states have the same name: %v", err)
	}

	c.SetTime(start.Add(10*time.Minute - time.Second))
	if _, err := sealer(t, 1, c).OpenLink(state); err != nil {
		t.Errorf("a second before its expiry: %v", err)
	}
	c.SetTime(start.Add(10 * time.Minute))
	if got, err := sealer(t, 1, c).OpenLink(state); !errors.Is(err, consent.ErrExpired) || got == nil || got.Brand != "coffee" {
		t.Errorf("at its expiry: %v", err)
	}
}

func TestState_CutsALongUser(t *testing.T) {
	s := sealer(t, 1, testclock.NewFakePassiveClock(start))
	for name, want := range map[string]string{
		"anna@example.com": "anna@example.com", strings.Repeat("a", 1024): strings.Repeat("a", 256),
		strings.Repeat("日", 1024): strings.Repeat("日", 85), // three bytes each
	} {
		state, _, err := s.Link(consent.Link{Namespace: "acme", Brand: "coffee", Platform: "tiktok", User: name})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.OpenLink(state); err != nil || got.User != want || len(state) > 700 {
			t.Errorf("%.20s: got a state of %d characters, %+v, %v", name, len(state), got, err)
		}
	}
}

func TestState_RejectsForeignStates(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	s := sealer(t, 1, c)
	state, link, _ := s.Link(asked)
	result, err := s.Result(link)
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(state)
	flipped[len(flipped)/2] ^= 1
	for why, token := range map[string]string{
		"nothing": "", "not base64": "%%%", "changed": string(flipped), "cut": state[:len(state)-4], "the token of a result": result,
		"too long": strings.Repeat("A", 5000), "padded": state + "=",
	} {
		if _, err := s.OpenLink(token); !errors.Is(err, consent.ErrUnknown) {
			t.Errorf("%s: got %v", why, err)
		}
	}
	if _, err := sealer(t, 2, c).OpenLink(state); !errors.Is(err, consent.ErrUnknown) {
		t.Errorf("of another installation: %v", err)
	}
	if _, err := s.OpenResult(state); !errors.Is(err, consent.ErrUnknown) {
		t.Errorf("a state is accepted as a result: %v", err)
	}
	if got, err := s.OpenResult(result); err != nil || got.RequestName() != link.RequestName() {
		t.Errorf("a result: %v", err)
	}
}

func TestCodes(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	code := consent.Code{Code: "very-secret", RedirectURI: "https://reelops.example/oauth/tiktok/callback"}
	sealed, err := sealer(t, 1, c).SealCode(code, "acme", "connect-1")
	if err != nil || strings.Contains(sealed, "very-secret") {
		t.Fatalf("the sealed code contains the code: %v", err)
	}
	got, err := sealer(t, 1, c).OpenCode(sealed, "acme", "connect-1")
	if err != nil || *got != code {
		t.Errorf("the code does not round-trip: %v", err)
	}
	for _, other := range [][2]string{{"acme", "connect-2"}, {"other", "connect-1"}} {
		if _, err := sealer(t, 1, c).OpenCode(sealed, other[0], other[1]); !errors.Is(err, consent.ErrUnknown) {
			t.Errorf("a code copied to %v opens: %v", other, err)
		}
	}
	if _, err := sealer(t, 2, c).OpenCode(sealed, "acme", "connect-1"); !errors.Is(err, consent.ErrUnknown) {
		t.Errorf("with another key: %v", err)
	}
}

func TestVerifier(t *testing.T) {
	c := testclock.NewFakePassiveClock(start)
	one, same, two := sealer(t, 1, c).Verifier("a"), sealer(t, 1, c).Verifier("a"), sealer(t, 1, c).Verifier("b")
	if one != same || one == two || one == sealer(t, 2, c).Verifier("a") {
		t.Error("a verifier depends on more than the nonce and the key")
	}
	if len(one) < 43 || len(one) > 128 {
		t.Errorf("platforms accept verifiers of 43 to 128 characters, got %d", len(one))
	}
	if _, err := consent.NewSealer(make([]byte, 31), c); err == nil {
		t.Error("a short key is accepted")
	}
}
