// SPDX-License-Identifier: Apache-2.0

// Package account is what one account may do and has used: its namespace, keys, quota and credits.
//
// Packages:
//
//   - apikey: knows what the secret of an API key looks like
//   - keysecret: keeps the two keys of an installation in Secrets of its namespace
//   - ledger: writes what package quota decides into an account's status
//   - quota: is the arithmetic of a plan
//   - tenancy: lets the manager read the Secrets of accounts' namespaces
//
// It may import: api, catalog, process, kube, store, work. internal/testkit/layering holds this.
package account
