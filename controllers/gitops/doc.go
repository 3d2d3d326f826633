// SPDX-License-Identifier: Apache-2.0

// Package gitops holds the randomized test of Reelops under GitOps. A history is a repository that changes at random: manifests are
// added, edited, renamed, removed and added again, people connect and disconnect accounts and approve posts, and a stand-in for Flux and
// Argo CD keeps the namespace of the history like the repository. All controllers run against a real kube-apiserver, and publish to the
// sandbox through the real adapters. A stand-in replaces the renderer and the garbage collector, which the test cluster does not have.
//
// At every rest the state of each object is compared with a model, model_test.go, that knows the repository, the connections and the
// time only. The ledger of the sandbox decides what was published. Each state is recorded with the health that the model expects:
// hack/health evaluates the recorded states with the libraries of kstatus, Argo CD and Flux.
//
// TestUpgrade does the same over a cluster of an earlier release that is upgraded.
//
// Histories are reproducible as far as the random choices go: a seed gives the same commits, pauses and rests. Which of two concurrent
// steps is first depends on the machine.
package gitops
