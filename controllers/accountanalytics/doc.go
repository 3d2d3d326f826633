// SPDX-License-Identifier: Apache-2.0

// Package accountanalytics refreshes the analytics of social accounts, on request and on a schedule.
//
//	        due              persist intent: refreshStartedAt, refreshing          act: call the platform
//	idle ────────▶ ───────────────────────────────────────────────────▶ ──────────────────────────────┐
//	  ▲                                    ▲                                                          ▼
//	  │  persist result: totals,           └── after a crash the refresh starts again    store the new document,
//	  └─ documentKey, nextRefreshAt ─────────────────────────────────────────────────── then delete the previous one
//
// Every SocialAccount whose platform reports analytics gets an AccountAnalytics of the same name. The controller adopts
// one that the front end created for a refresh request. The decision depends on the status, the time and the account's
// posts only, so a lost reconcile loses nothing. If two managers both lead for a moment, the refresh that started last
// wins: the status does not name the document of the other, which is deleted.
//
// The first refresh starts 20 minutes after the account was connected, or on request. Users often request one right
// after connecting and publishing, and an earlier refresh would make the cooldown refuse that request. Later refreshes
// follow the interval, and start earlier after a new post. Scheduled refreshes are at least 30 minutes apart, and stop
// when the token has expired: the analytics stay as they are. The budget (budget.go) limits the calls to each platform
// across all accounts; requested refreshes go first. It is kept in memory, so after a restart the platform's own rate
// limit is the bound.
//
// The controller owns the status of AccountAnalytics, the owner reference, brand label and finalizer in its metadata,
// and status.metrics of Posts up to 30 days old. Package analytics decides which calls a refresh makes and merges the
// responses.
package accountanalytics
