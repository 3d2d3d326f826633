// SPDX-License-Identifier: Apache-2.0

// Package socialaccount maintains the status of connected accounts and keeps their tokens fresh.
//
//	active ◀──▶ expiring_soon    by time, if only a user can renew it
//	   │              │
//	   ├──────────────┼──▶ expired              refresh rejected, expired, or tokens lost
//	   ├──────────────┼──▶ revoked              revoked on the platform
//	   └──────────────┴──▶ insufficient_scope   it lacks a scope that publishing needs
//	   ▲
//	   └── from any of these, when a user reconnects the account
//
// Every reconcile derives the state from the stored grant (package credential) and the time, so a lost reconcile loses
// nothing and a wrong clock does no lasting harm. Outages of the platform or the network and a wrong app secret do not
// change the state.
//
// The controller also reads the account's publishing headroom and profile from the platform every few hours, for at
// most one account a second. Unchanged values are not written.
//
// The controller owns the status of SocialAccounts except limitedUntil and lastPublishedAt, which the post controller
// writes, and the ID and brand labels. The garbage collector deletes the Secret with the tokens after its last owner.
// The permission on the platform stays until the user removes the app there.
package socialaccount
