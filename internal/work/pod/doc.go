// SPDX-License-Identifier: Apache-2.0

// Package pod builds the confined batch/v1 Jobs in which files of users are opened and films are made, and reads how
// they ended. It is the one place that says what such a pod may do.
//
// A pod gets no Kubernetes token and no credential of the store: all it holds is one signed address, in a Secret of
// its own. It meets the restricted Pod Security Standard: an unprivileged user, a read-only root, no capabilities,
// bounded memory, processor, disk and time. Its working folder lies in memory unless the installation says otherwise.
// An installation may say where pods run and what they are called, by a Template, and that Kueue lets them go;
// nothing it can say loosens the confinement. A pod is never started again by itself: who made it decides on retries.
//
// Nothing here talks to the cluster.
package pod
