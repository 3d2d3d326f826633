// SPDX-License-Identifier: Apache-2.0

// Package credential stores the permissions of connected accounts: it opens and stores the tokens and renews them
// before they expire. Only the manager uses it.
//
// A grant is the result of one approval. It covers one account on most platforms; on LinkedIn it covers a member and
// the pages that the member may post for. A grant is stored sealed in one Secret. All its accounts refer to the Secret
// and own it together, so that a renewal for one account renews the tokens for all. The seal binds the Secret to its
// namespace and name. The grant inside names the platform, the brand and the platform's ids of the accounts: a
// SocialAccount that refers to another account's Secret receives nothing.
//
//	Account   returns the current tokens, renewed if they expire soon
//	Renew     after the platform rejected a token: returns newer tokens from a concurrent renewal, or renews them
//	Refused   after the platform reported that the permission has ended: records the end, so that later calls fail early
//	See       returns everything but the tokens, for the SocialAccount controller
//	Keep      stores the grant of an approval over the earlier grant of the same accounts
//
// At most one renewal runs for a Secret at a time, and renewed tokens are stored before they are returned. Some
// platforms rotate the refresh token and invalidate the old one. If storing the renewed tokens fails, they stay in
// memory, the old ones are not returned, and the next call stores the renewed ones first. Only a crash in that interval
// loses them.
//
// A permission ends when the platform reports so in response to a renewal, or when it expires. Nothing else ends it:
// not a network failure, not a platform outage, not a wrong app secret. Errors are of type *publish.Error.
//
// The package writes only these Secrets. The status of accounts belongs to the SocialAccount controller, which this
// package notifies.
package credential
