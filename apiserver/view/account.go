// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// Account describes the account of a key and its remaining quota.
type Account struct {
	User   User       `json:"user"`
	Plan   Plan       `json:"plan"`
	Brands []BrandRef `json:"brands" doc:"All brands of the account, including those that the key does not belong to."`
	APIKey Key        `json:"api_key"`
}

// User is the owner of the account.
type User struct {
	ID    int64  `json:"id" doc:"Id of the account."`
	Email string `json:"email" doc:"Masked email address." example:"a***@example.com"`
}

// Plan of the account.
type Plan struct {
	Name         string           `json:"name" doc:"Display name of the plan."`
	Capabilities PlanCapabilities `json:"capabilities"`
}

// PlanCapabilities describes what the plan includes in the current period.
type PlanCapabilities struct {
	PlanName            string `json:"plan_name" doc:"The plan's name again."`
	Metered             string `json:"metered" enum:"slideshows" doc:"What the plan counts."`
	SlideshowLimit      int64  `json:"slideshow_limit" doc:"2147483647 when unlimited."`
	SlideshowsUsed      int64  `json:"slideshows_used" doc:"Slideshows and videos accepted in this period, less those released."`
	SlideshowsRemaining int64  `json:"slideshows_remaining" doc:"Slideshows and videos that may still be created in this period."`
	Unlimited           bool   `json:"unlimited" doc:"Whether the plan has no limit on slideshows."`
	AutomationLimit     int32  `json:"automation_limit" doc:"Number of automations that the plan allows."`
	AutomationsUsed     int32  `json:"automations_used" doc:"Number of existing automations."`
	PeriodStart         Time   `json:"period_start" doc:"When the period began."`
	PeriodEnd           Time   `json:"period_end" doc:"When the next period begins."`
	CurrentCredits      *int64 `json:"current_credits,omitempty" doc:"Credits neither used nor reserved. Only on plans that show credits."`
	CreditsResetAt      *Time  `json:"credits_reset_at,omitempty" doc:"When credits are next granted. Only on plans that show credits."`
}

// BrandRef is the id and name of a brand.
type BrandRef struct {
	ID   int64  `json:"id" doc:"The value for brand_id."`
	Name string `json:"name" doc:"Display name."`
}

// Key is the key of the request.
type Key struct {
	ID           int64           `json:"id" doc:"Id of the key; not its secret."`
	Name         string          `json:"name" doc:"Name of the key, set when it was created."`
	Scopes       []v1beta1.Scope `json:"scopes" doc:"Effective scopes: legacy ones are expanded."`
	BrandID      int64           `json:"brand_id" doc:"The brand the key belongs to."`
	ExpiresAt    *Time           `json:"expires_at" nullable:"true" doc:"null when it does not expire."`
	LastUsedAt   *Time           `json:"last_used_at" nullable:"true" doc:"When the key was last used before this request; null on the first request."`
	RequestCount int64           `json:"request_count" doc:"Number of requests with the key, including this one."`
}

// AccountOf returns the account as shown to the key. automations is the number of its automations.
func AccountOf(id int64, a *v1beta1.Account, brands []BrandRef, automations int, key Key, now time.Time) *Account {
	left := quota.Of(a, now)
	c := PlanCapabilities{
		PlanName: a.Spec.Plan.Name, Metered: "slideshows",
		SlideshowLimit: int64(left.Limit), SlideshowsUsed: int64(left.Used), SlideshowsRemaining: int64(left.Remaining),
		AutomationLimit: ptr.Deref(a.Spec.Plan.AutomationLimit, v1beta1.DefaultAutomationLimit), AutomationsUsed: int32(automations), CurrentCredits: left.CurrentCredits(),
		PeriodStart: Time{left.PeriodStart}, PeriodEnd: Time{left.PeriodEnd},
	}
	if left.Unlimited {
		c.Unlimited, c.SlideshowLimit = true, catalog.UnlimitedSlideshows
		c.SlideshowsRemaining = c.SlideshowLimit - c.SlideshowsUsed
	}
	if left.ShowsCredits {
		c.CreditsResetAt = &Time{left.PeriodEnd}
	}
	return &Account{
		User: User{ID: id, Email: mask(a.Spec.Email)}, Plan: Plan{Name: a.Spec.Plan.Name, Capabilities: c},
		Brands: brands, APIKey: key,
	}
}

// mask returns an email address with only the first character and the domain visible.
func mask(email string) string {
	name, domain, ok := strings.Cut(email, "@")
	if !ok || name == "" {
		return "***"
	}
	_, n := utf8.DecodeRuneInString(name)
	return name[:n] + "***@" + domain
}

// ExpiryOf returns the expiry of a key; nil if it does not expire.
func ExpiryOf(k *v1beta1.APIKey) *Time { return at(k.Spec.ExpiresAt) }

// ErrorEntry is an entry of the error catalog.
type ErrorEntry struct {
	Code          ErrorCode `json:"code" doc:"Stable code for programs."`
	Message       string    `json:"message" doc:"Meaning of the code in one sentence. A response may have a more specific message."`
	Cause         string    `json:"cause" doc:"Cause of the error."`
	Fix           string    `json:"fix" doc:"Remedy for the error."`
	Retryable     bool      `json:"retryable" doc:"Whether the same request can succeed later. The value in a response takes precedence."`
	HTTPStatus    int       `json:"http_status" doc:"Status of a response whose first error has this code."`
	DetailsFields []string  `json:"details_fields" doc:"Members that details may have."`
	DocsURL       string    `json:"docs_url" format:"uri" doc:"URL of the documentation for this code."`
}

// ErrorEntryOf returns the view of a catalog entry. base is the public address, below which the documentation is
// served.
func ErrorEntryOf(e catalog.Entry, base string) *ErrorEntry {
	fields := e.Details
	if fields == nil {
		fields = []string{}
	}
	return &ErrorEntry{
		Code: ErrorCode(e.Code), Message: e.Message, Cause: e.Cause, Fix: e.Fix, Retryable: e.Retryable, HTTPStatus: e.HTTPStatus,
		DetailsFields: fields, DocsURL: strings.TrimSuffix(base, "/") + "/docs#" + string(e.Code),
	}
}
