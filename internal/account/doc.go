// SPDX-License-Identifier: Apache-2.0

// Package account covers the limits and the usage of one account: its namespace, keys, quota and credits.
//
// Packages:
//
//   - apikey: defines the format of API key secrets
//   - consolelink: creates the one-time links of the console
//   - keysecret: stores the two keys of an installation in Secrets of its namespace
//   - ledger: writes the changes of package quota to an account's status
//   - quota: computes the usage of a plan
//   - tenancy: gives the manager access to the Secrets of accounts' namespaces
//   - webhooksecret: derives the signing secrets of webhook endpoints from the signing key
//
// It may import: api, catalog, process, kube, store, work. internal/testkit/layering enforces this.
package account
