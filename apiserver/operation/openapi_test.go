// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

func TestExampleDetailsAreThoseOfTheCatalog(t *testing.T) {
	for code, details := range exampleDetails {
		e, ok := catalog.LookupError(code)
		if !ok {
			t.Errorf("there is no code %s", code)
		}
		for name := range details {
			if !slices.Contains(e.Details, name) {
				t.Errorf("the example of %s has details.%s, which the catalog does not name", code, name)
			}
		}
	}
}

func TestSharedFailuresAreOfTheCatalog(t *testing.T) {
	o := &Operation{Spec: Spec{Name: "a", Scope: "brand:read", ForBrand: true, Bucket: Generation, Idempotent: true, NoSuch: catalog.NotFound}}
	got := failuresOf(o)
	for n, want := range map[int][]catalog.Code{
		400: {catalog.BadRequest}, 401: {catalog.MissingToken, catalog.InvalidToken, catalog.KeyRevoked, catalog.KeyExpired},
		403: {catalog.MissingScope}, 404: {catalog.NotFound}, 405: {catalog.BadRequest}, 409: {catalog.IdempotencyConflict},
		429: {catalog.RateLimited}, 500: {catalog.InternalError}, 503: {catalog.InternalError},
	} {
		if !slices.Equal(got[n], want) {
			t.Errorf("%d has codes %v, want %v", n, got[n], want)
		}
		delete(got, n)
	}
	if len(got) > 0 {
		t.Errorf("undescribed entries: %v", got)
	}
}

func TestGuide_HasNoPlaceholders(t *testing.T) {
	text, err := guide("http://localhost:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"service=http://localhost:1\n", "| `global`: every call of a key | 300 | 5 minutes |", "| `generation`: creating slideshows and videos and rendering, by key | 20 | 1 hour |", "at most 50;", "`admin` reads as every scope", "1 to 255 characters", "Within 24 hours"} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide lacks %q", want)
		}
	}
	if strings.Contains(text, "<no value>") || strings.Contains(text, "{{") {
		t.Error("the guide has an empty value")
	}
}
