// SPDX-License-Identifier: Apache-2.0

// Package docs makes the page that people read from the description that programs read, so that both say the same. The
// page is one file without scripts that loads nothing, and is made once, at start.
package docs
