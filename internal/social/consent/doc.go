// SPDX-License-Identifier: Apache-2.0

// Package consent is what goes round while a person lets an installation post for an account: from the link, over the platform's
// page and the browser, back to the front end and on to the manager. No record is made of a link before it comes back: all that it was
// made for travels in its state, sealed.
//
// A link is good once, because the ConnectionRequest that it becomes is named after its nonce, and for some minutes. The code that the
// platform gives is sealed before it is stored in the cluster, for the manager, which has the same signing key. The proof that the
// code is exchanged by whoever made the link (PKCE) follows from the nonce and that key, and is nowhere written.
//
// The package calls nobody and stores nothing.
package consent
