// SPDX-License-Identifier: Apache-2.0

// Package health holds the test of config/health: what kstatus, Argo CD and Flux make of every kind in every state that its controller
// reports. It runs the health checks themselves. There is nothing else in it.
package health
