// SPDX-License-Identifier: Apache-2.0

// Package console serves the web console of Reelops: the page, the sign-in of its users, and the API of the page.
//
// A user signs in at an identity provider or with a one-time link of `kubectl reelops console`. The session is a sealed
// cookie, so any replica can read it. One ConfigMap records the sessions that were ended early. What a user may do is
// decided by the cluster: each scope of the API corresponds to a permission in the namespace of the account, which a
// SubjectAccessReview checks. The operations then run as for an API key, with the same rules.
//
// The page itself is in web, and its build in dist. hack/decisions/2026-11-26-console-sign-in.md has the reasons.
package console
