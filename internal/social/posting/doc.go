// SPDX-License-Identifier: Apache-2.0

// Package posting holds the rules of publishing that need nothing but what is known already: which accounts a request means,
// what each platform is sent of a short and in which words, whether it fits, how much an account may still post, when a post may
// be scheduled, and which Posts a batch consists of.
//
// The check before posting, the posting itself over REST and the controller of PostBatch all ask here, so that they cannot come
// to different answers. Everything is a pure function: it reads no cluster, calls no platform and knows the time only as it is
// told. What a platform says when it is really asked is not decided here.
package posting
