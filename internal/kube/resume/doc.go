// SPDX-License-Identifier: Apache-2.0

// Package resume lets a program that is started again go on from the objects that it knew, instead of asking the cluster for all of them
// once more. It keeps what informers hold in a file beside the program, and how far their watches had come.
//
// A watch may begin at any version of the collection that the cluster still remembers ("efficient detection of changes", Kubernetes API
// concepts). So an informer is told the kept objects, as a cluster tells initial events (KEP-3157), and then what came after them, by a
// watch from that version on. What cannot be gone on from, for whatever reason, is forgotten, and the cluster is asked as ever: the file
// makes a start fast and nothing else depends on it.
//
// The file is for a program that is started again on the same machine: after a crash, out of memory, or a change of its container.
package resume
