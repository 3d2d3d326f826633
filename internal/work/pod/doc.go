// SPDX-License-Identifier: Apache-2.0

// Package pod builds the confined batch/v1 Jobs of workers, and reads their state. A worker opens files of users and
// renders videos. Only this package defines the permissions and limits of worker pods.
//
// A pod has no Kubernetes token and no credential of the store. It has one signed URL, in a Secret of its own. It meets
// the restricted Pod Security Standard: an unprivileged user, a read-only root file system and no capabilities. Its
// memory, processor, disk and time are limited. Its scratch volume is in memory by default.
//
// A Template of the installation adds labels, annotations and scheduling. Kueue may queue the Jobs. Neither can weaken
// the confinement. Kubernetes never restarts a pod: the controller that created the Job decides on retries.
//
// The package makes no requests to the cluster.
package pod
