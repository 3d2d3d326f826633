// SPDX-License-Identifier: Apache-2.0

// Package posting implements the posting rules as pure functions. They decide which accounts a request selects, which
// media and texts each platform receives, and whether these fit the platform's limits. They also compute how much an
// account may still post, when a post may be scheduled, and which Posts a batch consists of.
//
// The validation before posting, posting over REST and the PostBatch controller all use this package, so that their
// results agree. The functions do not read the cluster, call platforms or read the clock: the time is a parameter. A
// platform may still refuse a post that this package accepts.
package posting
