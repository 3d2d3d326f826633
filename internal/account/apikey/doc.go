// SPDX-License-Identifier: Apache-2.0

// Package apikey defines the format of API key secrets, how they are stored, and the meaning of their scopes.
//
// A secret is a prefix, 32 random bytes in base64url and a checksum over them, so that a truncated or mistyped secret
// is detected without a look-up. Only the SHA-256 of a secret is stored: the bytes are random, so a slow hash would add
// nothing. The console and the kubectl plugin create keys with Create. The front end looks keys up itself.
package apikey
