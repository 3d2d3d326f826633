// SPDX-License-Identifier: Apache-2.0

// Package envelope seals small secrets before they are stored where more can read than should: tokens in a Secret, upload
// addresses in a status. Each value has a key of its own, and that key is wrapped by the installation's. Nobody who reads the
// cluster, its etcd or a backup of either can open them without the key file, which only the manager is given.
//
// What a value was sealed for is part of it (aad): one that is moved to another object does not open there.
//
// The key file holds one key a line, the base64 of 32 random bytes; empty lines and lines that begin with # mean nothing. The
// first key seals, all of them open. To rotate keys, put a new one first and restart the manager: it seals all tokens with the new
// key. Remove the old line once nothing is sealed with it: docs/operations/key-rotation.md.
//
// It hides values and shows that they were changed. It does not show that a value was replaced by an older one of the same
// object, and it keeps nobody out who can read the key file.
package envelope
