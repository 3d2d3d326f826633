// SPDX-License-Identifier: Apache-2.0

package sandbox

// InitArg as first argument makes a binary call Init.
const InitArg = "__container"

// ProgramDir is where the program of an image stands in the container's view.
const ProgramDir = "/app"

// Spec is one program to run.
type Spec struct {
	// Root is an empty folder of the host on which the view is built. It stays
	// empty outside.
	Root string
	// Program is the host file behind the image.
	Program string
	// Argv is the command line; an empty Argv[0] means Program.
	Argv []string
	// Env is the whole environment, NAME=value.
	Env []string
	// Dir is the working directory inside; made when missing.
	Dir string
	// Host is the host name inside.
	Host string
	// Mounts are put in place in order.
	Mounts []Mount
	// ReadOnlyRoot makes everything but mounts and /dev read-only.
	ReadOnlyRoot bool
	// UID, GID and Groups the program runs as.
	UID, GID int
	Groups   []int
	// Capabilities that stay in the bounding set, as numbers.
	Capabilities []int
	// CgroupProcs are the files the process writes itself into before it
	// becomes the program.
	CgroupProcs []string
}

// Mount is a host file or folder shown at Target.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// failure is what Init reports when it cannot become the program.
type failure struct {
	Step, Error string
	// Missing says that the program itself was not found or cannot be run.
	Missing bool
}
