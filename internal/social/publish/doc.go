// SPDX-License-Identifier: Apache-2.0

// Package publish defines the interface to the social platforms TikTok, YouTube, Instagram and LinkedIn, in terms that
// do not depend on the platform. The subpackages are the adapters.
//
// A post is published in two steps. Prepare does all work that is invisible on the platform and may run early and
// repeatedly: opening upload sessions, sending bytes, creating containers, waiting for the platform's processing.
// Commit makes the one call that may publish. The controller records an attempt before Commit and its outcome after it.
// If the outcome is unknown, the controller looks the attempt up with Find. It never sends an attempt again
// automatically.
//
// Adapters speak HTTP and do not use the cluster. They hold no state: they return what a later call needs as a note,
// which the controller stores sealed. They read the time from the injected clock and log nothing. They never put a
// secret, an address or a platform's response into an error's Safe text. Calls never outlive their context.
package publish
