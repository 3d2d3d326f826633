// SPDX-License-Identifier: Apache-2.0

// Package wordnet reads the WordNet database as Debian's wordnet-base installs it: which words mean the same, which is a kind
// of which, and what they mean in a sentence.
//
// The files are 28 MB of sorted text, made to be searched where they lie. So nothing is loaded: a word is found by binary
// search, a meaning by its offset, and the pages that are read often stay in the system's cache, where they can be taken
// back. What a caller wants to keep it keeps itself.
package wordnet
