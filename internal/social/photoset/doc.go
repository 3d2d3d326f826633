// SPDX-License-Identifier: Apache-2.0

// Package photoset makes the pictures of a photo set as a platform takes them: JPEG, within its sizes and shapes. A picture of a
// shape that a platform does not take is set before a blurred copy of itself; nothing is ever cut off.
//
// The pictures lie in the blob store below a prefix of the post, and are made once: a pass after a crash makes what is missing, with
// the same bytes. Who removes them, and what is said about them, is for others.
package photoset
