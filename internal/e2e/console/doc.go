// SPDX-License-Identifier: Apache-2.0

// Package console tests the web console in Chromium, against the whole stack with the sandbox in place of the
// platforms. The tests share one stack and one browser, and each has windows with cookies of their own.
//
// A window finds elements by role and accessible name, and clicks and types like a user: an element that assistive
// technology does not see, that is disabled or that is covered, cannot be used. Any violation of the content security
// policy, console error, exception and failed request fails the test, unless the test expects it.
package console
