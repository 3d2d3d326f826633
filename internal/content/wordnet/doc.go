// SPDX-License-Identifier: Apache-2.0

// Package wordnet reads the WordNet database that Debian's wordnet-base package installs. It covers synonyms, relations
// such as broader and narrower meanings, and definitions.
//
// The database is 28 MB of sorted text files, designed to be searched on disk. The package therefore loads nothing: it
// finds a word by binary search and a meaning by its byte offset. Pages read often stay in the operating system's page
// cache, where they can be reclaimed. The package itself caches nothing; callers cache the results that they reuse.
package wordnet
