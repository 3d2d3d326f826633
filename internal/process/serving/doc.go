// SPDX-License-Identifier: Apache-2.0

// Package serving holds what listeners need to serve TLS: certificates from files, which are read again when they change, or a
// self-signed certificate in memory; and which callers may read metrics.
package serving
