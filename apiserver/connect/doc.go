// SPDX-License-Identifier: Apache-2.0

// Package connect answers browsers that come back from a platform's page, where a person let the installation post for an account or did
// not. It needs no key: what a link is for and until when lies sealed in its state.
//
//	GET /oauth/{platform}/callback   takes the code: a ConnectionRequest named after the link, so that a link works once
//	GET /oauth/{platform}/result     tells what became of it, and looks again by itself until it is known
//
// The pages hold no script, load nothing, and are neither stored nor shown inside others. Nothing is asked of the cluster for a state that
// was not made here. The code is sealed for the manager before it is stored; it is not logged, and no page repeats it.
package connect
