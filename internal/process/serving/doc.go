// SPDX-License-Identifier: Apache-2.0

// Package serving provides TLS for listeners, with certificates from files that are reloaded when they change, or with
// a self-signed certificate in memory. It also controls which callers may read metrics.
package serving
