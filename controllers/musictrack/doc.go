// SPDX-License-Identifier: Apache-2.0

// Package musictrack ingests the music of users. It copies each track to its own key in the store, and determines its
// real type and its loudness. Audio is decoded only in confined Jobs. internal/media/intake has the shared ingest
// steps; this package has the parts specific to music.
package musictrack
