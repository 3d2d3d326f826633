// SPDX-License-Identifier: Apache-2.0

// Package apikey knows what the secret of an API key looks like, how it is stored and what its scopes mean.
//
// A secret is a prefix, 32 random bytes in base64url and a checksum over them, so that a cut or mistyped paste is told
// without a look-up. Only the SHA-256 of a secret is ever kept: the bytes are random, so a slow hash would add nothing.
// Nothing here reads or writes an object; the front end looks keys up, the admin command makes them.
package apikey
