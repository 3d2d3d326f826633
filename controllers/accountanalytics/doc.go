// SPDX-License-Identifier: Apache-2.0

// Package accountanalytics reads the numbers of accounts: when somebody asks for it, and now and then by itself.
//
//	                     due                      written first              then the platform is asked
//	idle ───────────────────────────────▶ refreshStartedAt, refreshing ──────────────┐
//	  ▲                                             ▲                                ▼
//	  │   totals, documentKey, next                 └── a crash: begin again    a new document in the store
//	  └─────────────────────────────────────────────────────────────────────────────┘ and then the one before it is removed
//
// Every SocialAccount whose platform reports numbers gets an AccountAnalytics of its name; one that the front end made a moment
// earlier, because somebody asked for numbers, is taken over. What is due follows from its status, the time, and the account's
// posts, anew in every pass: a lost pass loses nothing. Of two managers that both believe to be the one that works, the one that
// began last wins: the other's document is not named by the status, and is removed.
//
// An account's numbers are read first twenty minutes after it was connected, unless somebody asks for them before: the first thing
// after connecting and publishing is to ask, and the cooldown would refuse it. Then they are read after the interval, and sooner when
// a post came out since; never sooner by themselves than half an hour after the last time, and never when the permission has ended:
// then the numbers stay as they were. How often an installation asks a platform over all accounts is bounded (budget.go); what
// somebody asked for comes first. The bounds are kept in memory: a process that starts anew does not know what the one before it
// asked, and is told so by the platform at worst.
//
// The controller writes the whole status of an AccountAnalytics, of its metadata the owner, the brand's label and the finalizer,
// and status.metrics of Posts that are not older than 30 days: a copy, for people who look at Posts, brought up to date at each
// refresh. It does not decide what is asked of a platform and what becomes of the answers: package analytics does.
package accountanalytics
