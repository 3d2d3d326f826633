// SPDX-License-Identifier: Apache-2.0

// Package envelope seals small secrets that are stored where more readers have access than should: tokens in a Secret,
// upload addresses in a status. Each value has a key of its own, which is wrapped with the key of the installation. A
// reader of the cluster, its etcd or a backup of either cannot open a value without the key file, which only the
// manager receives.
//
// The purpose of a value is authenticated with it (aad): a value that is moved to another object does not open there.
//
// The key file has one key per line, the base64 of 32 random bytes. Empty lines and lines that begin with # are
// ignored. The first key seals; every key opens. To rotate keys, add the new key as the first line and restart the
// manager, which seals all tokens with the new key. Remove the old line once no value is sealed with its key:
// docs/operations/key-rotation.md.
//
// Sealing hides values and shows that they were changed. It does not detect that a value was replaced by an older one
// of the same object, and does not protect against readers of the key file.
package envelope
