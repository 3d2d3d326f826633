// SPDX-License-Identifier: Apache-2.0

// Package keysecret keeps the two keys of an installation in Secrets of its namespace: the one that signs addresses, which the
// front end has as well, and the one that seals tokens, which only the manager has. The manager makes each that is missing, so
// that the same manifests install with kubectl, Helm, Argo CD and Flux: there is no hook to run, and nothing random in them that
// would be another thing at every rendering.
//
// A Secret that is there is taken as it is: whoever brings keys of their own makes it first, or puts a new line into it later.
// A lost key for tokens is not replaced while there are tokens that it sealed: they could be opened by nobody any more, and the
// old key, restored later, would not open those sealed since.
//
// The package neither changes nor deletes a Secret.
package keysecret
