// SPDX-License-Identifier: Apache-2.0

// Package gitops holds the randomized test of Reelops under GitOps. A history is a repository that changes at random:
// manifests are added, edited, renamed, removed and added again. Meanwhile users connect and disconnect accounts and
// approve posts. A stand-in for Flux and Argo CD syncs the namespace of the history with the repository. All controllers
// run against a real kube-apiserver, and publish to the sandbox through the real adapters. A stand-in replaces the
// renderer and the garbage collector, which the test cluster does not have.
//
// At every rest the test compares the state of each object with a model, model_test.go. The model depends only on the
// repository, the connections and the time. The ledger of the sandbox decides what was published. Each state is recorded
// with the health that the model expects: hack/health evaluates the recorded states with the libraries of kstatus, Argo
// CD and Flux.
//
// TestUpgrade runs the same test on a cluster of an earlier release that is upgraded.
//
// The random choices of a history are reproducible: a seed gives the same commits, pauses and rests. Which of two
// concurrent steps is first depends on the machine.
package gitops
