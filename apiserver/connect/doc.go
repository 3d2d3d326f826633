// SPDX-License-Identifier: Apache-2.0

// Package connect serves the pages to which a platform redirects the browser after a person has approved or refused
// access to an account. The pages need no API key: the purpose and the expiry of a link are sealed in its state.
//
//	GET /oauth/{platform}/callback   stores the code in a ConnectionRequest named after the link, so that a link works once
//	GET /oauth/{platform}/result     shows the outcome, and reloads itself until it is known
//
// The pages hold no scripts, load nothing, are not cached and cannot be framed. A state that this installation did not
// seal causes no request to the cluster. The code is sealed for the manager before it is stored. It is not logged and
// appears on no page.
package connect
