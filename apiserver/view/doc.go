// SPDX-License-Identifier: Apache-2.0

// Package view converts Kubernetes objects to API records. The records have their own types, so that a change of a kind
// does not change the API. All functions depend only on objects, a time and a signer of URLs. They perform no I/O.
package view
