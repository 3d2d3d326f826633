// SPDX-License-Identifier: Apache-2.0

// Package resume restarts a program's informers from a snapshot instead of listing all objects from the cluster. It
// stores what the informers hold, and the resource version that their watches had reached, in a file on the program's
// machine.
//
// A watch may begin at any version of the collection that the cluster still has ("efficient detection of changes",
// Kubernetes API concepts). So an informer receives the stored objects in the form of initial events (KEP-3157). It
// then receives the later events from a watch that begins at the stored version. If the snapshot cannot be
// resumed, it is discarded, and the informer lists all objects of the cluster, as it does without a file (package
// lists). The file makes a start fast; nothing else depends on it.
//
// The file is for a program that restarts on the same machine: after a crash, out of memory, or a replacement of its
// container.
package resume
