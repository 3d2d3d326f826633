// SPDX-License-Identifier: Apache-2.0

// Package instagram is Instagram as its documentation describes the API with Instagram Login, as far as publishing and numbers
// need it: consent, tokens, containers, publishing, the account's posts, insights, and the upload host.
//
// It fetches the files that containers name, from this machine and from where the sandbox was told to, and looks at them as Instagram does: pictures have to be
// JPEG of the right size and shape, films MP4 or MOV that a player can begin before they are whole, in codecs that Instagram takes.
// Where the documentation is silent on what Instagram does, Behaviour chooses; it also hides likes, and makes accounts and posts of which
// insights tell less.
//
// What is left out: stories, tags, locations, collaborators, comments and messages.
package instagram
