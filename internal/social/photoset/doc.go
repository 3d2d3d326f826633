// SPDX-License-Identifier: Apache-2.0

// Package photoset converts the images of a photo set to the formats that a platform accepts: JPEG, within its sizes
// and aspect ratios. An image with an aspect ratio that a platform does not accept is placed on a blurred copy of
// itself. Images are never cropped.
//
// The images are stored in the blob store below a prefix of the post, and are rendered once: after a crash, the missing
// ones are rendered with the same bytes. The caller is responsible for their deletion and for their texts.
package photoset
