// SPDX-License-Identifier: Apache-2.0

package sandbox

// InitArg as the first argument makes a binary call Init.
const InitArg = "__container"

// ProgramDir is the folder of an image's program in the container.
const ProgramDir = "/app"

// Spec describes one program to run.
type Spec struct {
	// Isolation is set by the Keeper. Users ignores Root, Host and ReadOnlyRoot, and restricts the program to the sources
	// of Mounts.
	Isolation Isolation
	// Root is an empty folder of the host on which the file system is built. It stays empty outside of the container.
	Root string
	// Program is the host file of the image's program.
	Program string
	// Argv is the command line.
	Argv []string
	// Env is the whole environment, as NAME=value.
	Env []string
	// Dir is the working directory inside, created if missing.
	Dir string
	// Host is the host name inside.
	Host string
	// Mounts are mounted in this order.
	Mounts []Mount
	// ReadOnlyRoot makes everything but mounts and /dev read-only.
	ReadOnlyRoot bool
	// UID, GID and Groups are those of the program.
	UID, GID int
	Groups   []int
	// Capabilities are the numbers of the capabilities that stay in the bounding set.
	Capabilities []int
	// CgroupProcs are the files to which the process writes itself before it executes the program.
	CgroupProcs []string
}

// Mount is a host file or folder that is mounted at Target.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// failure is the report of Init if it cannot execute the program.
type failure struct {
	Step, Error string
	// Missing reports whether the program was not found or cannot be executed.
	Missing bool
}
