// SPDX-License-Identifier: Apache-2.0

package envelope_test

import (
	"testing"

	"github.com/reelops/reelops/internal/store/envelope"
)

func TestDerive(t *testing.T) {
	derive := func(signingKey []byte, purpose string) func([]byte) ([]byte, error) {
		aead, err := envelope.Derive(signingKey, purpose)
		if err != nil {
			t.Fatal(err)
		}
		return func(sealed []byte) ([]byte, error) { return aead.Open(nil, nil, sealed, nil) }
	}
	aead, err := envelope.Derive(key(1), "a purpose")
	if err != nil {
		t.Fatal(err)
	}
	sealed := aead.Seal(nil, nil, secret, nil)
	if got, err := derive(key(1), "a purpose")(sealed); err != nil || string(got) != string(secret) {
		t.Errorf("the same key and purpose: got %q, %v", got, err)
	}
	if _, err := derive(key(1), "another purpose")(sealed); err == nil {
		t.Error("another purpose opens the value")
	}
	if _, err := derive(key(2), "a purpose")(sealed); err == nil {
		t.Error("another signing key opens the value")
	}
	if _, err := envelope.Derive(key(1)[1:], "a purpose"); err == nil {
		t.Error("a signing key of 31 bytes is accepted")
	}
}
