// SPDX-License-Identifier: Apache-2.0

// Package keysecret stores the two keys of an installation in Secrets of its namespace: the key that signs URLs, which
// the front end has as well, and the key that encrypts tokens, which only the manager has. The manager creates missing
// keys. The same manifests therefore work with kubectl, Helm, Argo CD and Flux: they need no hook and contain no random
// values that would change with every rendering.
//
// An existing Secret is used unchanged. Operators who bring their own keys create the Secret first, or add a new line
// later. A missing token key is not created while there are tokens encrypted with the old key: nothing could decrypt
// them any more, and the old key, restored later, could not decrypt newer tokens.
//
// The package neither changes nor deletes a Secret.
package keysecret
