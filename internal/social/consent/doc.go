// SPDX-License-Identifier: Apache-2.0

// Package consent creates and reads the tokens of the OAuth consent flow: from the link, over the platform's consent
// page and the browser, back to the front end and on to the manager. Nothing is stored for a link before the browser
// returns: its purpose is encrypted in its state.
//
// A link is valid once, because the ConnectionRequest that it creates is named after its nonce, and for some minutes.
// The code from the platform is encrypted before it is stored in the cluster. The manager can decrypt it, because it
// has the same signing key. The PKCE verifier, which proves that the party that exchanges the code also created the
// link, is derived from the nonce and the signing key. It is not stored anywhere.
//
// The package makes no calls and stores nothing.
package consent
