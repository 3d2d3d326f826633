// SPDX-License-Identifier: Apache-2.0

// Package instagram simulates Instagram as the documentation of the API with Instagram Login describes it, as far as
// publishing and analytics need it: consent, tokens, containers, publishing, the account's posts, insights, and the
// upload host.
//
// The package fetches the files that containers name from this machine and from the configured prefixes. It checks them
// as Instagram does: images must be JPEG with an accepted size and aspect ratio. Videos must be MP4 or MOV with the
// index at the front, in codecs that Instagram accepts. Behaviour selects what happens where the documentation is
// silent. Behaviour can also hide likes, and create accounts and posts with fewer insights.
//
// Not implemented: stories, tags, locations, collaborators and messages.
package instagram
