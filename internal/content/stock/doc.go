// SPDX-License-Identifier: Apache-2.0

// Package stock finds images and clips that users do not have to upload. It searches the rendered backgrounds of the
// starter library, the items that the operator of the installation shares with every account, and Pexels, Unsplash and
// Pixabay if API keys for them are configured.
//
// Library searches all of them by meaning and stores the items it returned, so that an ID in a response can be used in
// the next request, at any replica. The manager deletes the records of items that are not used any more. The package
// signs no URLs and stores no images; the consumer of an item downloads it.
package stock
