// SPDX-License-Identifier: Apache-2.0

// Package credential keeps the permissions that people gave: it opens and stores the tokens, and renews them before they end.
// Only the manager uses it.
//
// What one person approved at once is one grant: one account on most platforms, on LinkedIn a member and the pages that the member
// may post for. A grant lies sealed in one Secret that all its accounts name and own together, so that whatever renews the tokens
// renews them for all. The Secret is bound to its namespace and name, and the grant inside to the platform, the brand and the
// platform's ids of the accounts: a SocialAccount that names another one's Secret is given nothing.
//
//	Account   the tokens as they are, renewed when they end soon
//	Renew     after the platform did not accept them: the newer ones that somebody else got meanwhile, or new ones
//	Refused   after the platform said that the permission itself has ended: recorded, so that nobody asks again in vain
//	See       everything but the tokens, for the SocialAccount controller
//	Keep      stores what a person gave, over what the same accounts had before
//
// Tokens are renewed by one at a time, and new ones are stored before anybody gets them. Some platforms give another refresh token
// each time and forget the one before: when the store does not take the new ones they wait in memory, nobody is given the old ones, and
// the next call stores them first. The only way to lose them is a crash in those moments.
//
// A permission has ended when the platform says so in answer to a renewal, or when its time is over. Nothing else changes it: not a
// broken line, not a platform that is down, not a wrong app secret. Errors are of type *publish.Error.
//
// The package writes nothing but these Secrets; the status of accounts belongs to the SocialAccount controller, which it wakes.
package credential
