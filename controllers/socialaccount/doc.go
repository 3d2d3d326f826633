// SPDX-License-Identifier: Apache-2.0

// Package socialaccount keeps what is known of a connected account, and its permission alive.
//
//	active ◀──▶ expiring_soon    by time, where only a person can renew it
//	   │              │
//	   ├──────────────┼──▶ expired              the platform refuses to renew it, or its time is over, or its tokens are gone
//	   ├──────────────┼──▶ revoked              the platform says that it was taken back
//	   └──────────────┴──▶ insufficient_scope   it does not cover what publishing needs
//	   ▲
//	   └── any of these, when a person connects the same account again
//
// All of that follows from the grant as package credential keeps it and from the time, anew in every pass: a lost pass loses nothing, and a
// clock that was wrong harms nothing once it is right. A platform that is down, a broken line and a wrong app secret change nothing.
//
// Now and then a platform is asked how much an account may still post and how it is called: an account at most every some hours, and
// not more than one account a second over all. What did not change is not written.
//
// The controller writes the whole status of a SocialAccount but for limitedUntil and lastPublishedAt, which the controller of posts
// does, and of its metadata the id and the brand's label. The Secret with the tokens goes with its last account, by owner reference.
// The permission on the platform is left as it is: whoever wants it gone takes the app away there.
package socialaccount
