// SPDX-License-Identifier: Apache-2.0

// Package health holds the tests of config/health: the health of every kind in every state that its controller reports,
// as kstatus, Argo CD and Flux compute it. The tests use the libraries of kstatus and Flux, and the Lua interpreter of
// Argo CD, because Argo CD's own packages depend on more than a thousand others. The package is a separate module,
// because the product needs none of these dependencies.
package health
