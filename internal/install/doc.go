// SPDX-License-Identifier: Apache-2.0

// Package install looks after an installation as a whole: its rules, backup, restore, and migration between versions of
// the API.
//
// Packages:
//
//   - admission: decides without a cluster whether the API server accepts a manifest
//   - backup: writes everything that an installation is into one archive
//   - migrate: rewrites the objects of every kind in the version that the API server stores now, and renames earlier
//     field managers
//
// It may import: api, config, catalog, process, kube, store, work, account, media, content, film, social, automation,
// starter. internal/testkit/layering holds this.
package install
