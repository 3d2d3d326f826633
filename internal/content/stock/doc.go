// SPDX-License-Identifier: Apache-2.0

// Package stock finds pictures and clips that nobody had to bring: the drawn backgrounds of the starter library, what the
// operator of the installation shares with every account, and what Pexels, Unsplash and Pixabay have, where keys for them are
// configured.
//
// Library searches them together by meaning and remembers what it has shown, so that an id in an answer can be used in the
// next request, at any replica. It signs no addresses and stores no pictures; what is used of a picture is fetched by who
// uses it.
package stock
