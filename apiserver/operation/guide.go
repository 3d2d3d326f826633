// SPDX-License-Identifier: Apache-2.0

package operation

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
)

//go:embed guide.md
var guideText string

// guide returns the introduction of the API description, in CommonMark. Its numbers are taken from the enforcing code.
func guide(base string) (string, error) {
	t, err := template.New("guide").Parse(guideText)
	if err != nil {
		return "", fmt.Errorf("reading the guide: %w", err)
	}
	var out strings.Builder
	if err := t.Execute(&out, guideValues(base)); err != nil {
		return "", fmt.Errorf("writing the guide: %w", err)
	}
	return out.String(), nil
}

type scopeLine struct {
	Name   v1beta1.Scope
	Allows string
}

type legacyLine struct{ Name, Scopes string }

type limitLine struct {
	Bucket limit.Bucket
	What   string
	Limit  int
	Window string
}

func guideValues(base string) map[string]any {
	allows := map[v1beta1.Scope]string{
		v1beta1.ScopeBrandRead:     "Read the brand's profile, plan, quota, shorts and jobs; list connections and create links to connect accounts.",
		v1beta1.ScopeMediaRead:     "Browse media, packs and music.",
		v1beta1.ScopeMediaWrite:    "Upload files and register them as media.",
		v1beta1.ScopeContentWrite:  "Create and edit slideshows and videos, start renders.",
		v1beta1.ScopePostsRead:     "Read posts and validate new ones.",
		v1beta1.ScopePostsWrite:    "Publish, schedule and cancel posts.",
		v1beta1.ScopeAnalyticsRead: "Read and refresh the analytics of accounts and posts.",
		v1beta1.ScopeBrandsAll:     "Act on any brand of the account.",
		v1beta1.ScopeBrandWrite:    "Change the brand: profile, defaults, time zone, and whether posting is suspended.",
	}
	var scopes []scopeLine
	for _, s := range apikey.Scopes {
		scopes = append(scopes, scopeLine{s, allows[s]})
	}
	var legacy []legacyLine
	for _, name := range []v1beta1.Scope{"read", "write", "admin"} {
		expanded := apikey.Expand([]v1beta1.Scope{name})
		text := "every scope"
		if len(expanded) < len(apikey.Scopes) {
			quoted := make([]string, len(expanded))
			for i, s := range expanded {
				quoted[i] = "`" + string(s) + "`"
			}
			text = strings.Join(quoted, ", ")
		}
		legacy = append(legacy, legacyLine{string(name), text})
	}
	var limits []limitLine
	for _, c := range []limitLine{
		{Bucket: limit.Global, What: "every call of a key"},
		{Bucket: limit.Console, What: "every call of a user of the console"},
		{Bucket: limit.Generation, What: "creating slideshows and videos and rendering, by key"},
		{Bucket: limit.Posting, What: "publishing, by key"},
		{Bucket: limit.AnalyticsRefresh, What: "refreshing analytics, by social account"},
		{Bucket: limit.Unauthenticated, What: "calls without a valid key, by address"},
	} {
		d := limit.Default()[c.Bucket]
		c.Limit, c.Window = d.Limit, spoken(d.Window)
		limits = append(limits, c)
	}
	return map[string]any{
		"Base": base, "BodyMiB": catalog.MaxBodyBytes >> 20, "PerPage": catalog.MaxPerPage, "KeyCharacters": idempotency.MaxKeyCharacters,
		"KeyHours": int(idempotency.DefaultTTL / time.Hour), "Scopes": scopes, "Legacy": legacy, "Ceilings": limits,
	}
}

// spoken returns a duration in words.
func spoken(d time.Duration) string {
	if d%time.Hour == 0 {
		if d == time.Hour {
			return "1 hour"
		}
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}
