// SPDX-License-Identifier: Apache-2.0

// Package film turns slides and clips into a timeline and the timeline into MP4, with speech and subtitles.
//
// Packages:
//
//   - filmwords: is the list of the pictures of words on a video's film
//   - render: draws the film a timeline describes and writes it as an MP4
//   - renders: has the rules of the RenderJobs of shorts
//   - shortwork: holds what the controllers of slideshows and of videos have in common
//   - speech: says texts aloud and tells when each word is heard
//   - subtitle: shows what is said
//   - timeline: describes a short film
//   - voicing: has texts spoken for the controllers of shorts
//
// It may import: api, catalog, process, kube, store, work, account, media, content. internal/testkit/layering holds this.
package film
