// SPDX-License-Identifier: Apache-2.0

// Package film turns slides and clips into a timeline and the timeline into MP4, with speech and subtitles.
//
// Packages:
//
//   - filmwords: lists the images of the texts on a video
//   - render: renders the video of a timeline and writes it as an MP4
//   - renders: has the rules of the RenderJobs of shorts
//   - shortwork: has what the controllers of slideshows and of videos share
//   - speech: speaks texts and returns the time of each word
//   - subtitle: draws spoken texts as subtitles
//   - timeline: describes a short video
//   - voicing: requests speech for the controllers of shorts
//
// It may import: api, catalog, process, kube, store, work, account, media, content. internal/testkit/layering holds
// this.
package film
