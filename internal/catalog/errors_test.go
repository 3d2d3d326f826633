// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestCodes_AreComplete(t *testing.T) {
	seen := map[catalog.Code]bool{}
	for _, e := range catalog.Errors {
		if seen[e.Code] {
			t.Errorf("%s is listed twice", e.Code)
		}
		seen[e.Code] = true
		if e.HTTPStatus < 400 || e.HTTPStatus > 599 {
			t.Errorf("%s: status %d is not an error status", e.Code, e.HTTPStatus)
		}
		for name, text := range map[string]string{"message": e.Message, "cause": e.Cause, "fix": e.Fix} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s %q is not a sentence", e.Code, name, text)
			}
		}
		if got, ok := catalog.LookupError(e.Code); !ok || got.Message != e.Message {
			t.Errorf("%s is not found", e.Code)
		}
	}
	if len(seen) != 31 {
		t.Errorf("the API publishes 31 codes, the catalog has %d", len(seen))
	}
}

func TestUnknownCode(t *testing.T) {
	if _, ok := catalog.LookupError("no_such_code"); ok {
		t.Error("an unknown code is found")
	}
}
