// SPDX-License-Identifier: Apache-2.0

// Package mediaasset ingests the images and video clips of users. It copies each to its own key in the store and
// determines its real type. Images are decoded in this process, within limits. Clips are opened only in confined Jobs.
// internal/media/intake has the shared ingest steps; this package has the parts specific to images and clips.
package mediaasset
