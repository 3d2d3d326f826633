// SPDX-License-Identifier: Apache-2.0

// Command renderer does one piece of work and ends. It is the program in the pods of Jobs that make films and open files of
// users.
//
// It fetches an order by a signed URL. For a film it fetches the order's inputs, draws and encodes the film, checks it,
// uploads it by a signed URL, and says how it went: by a signed callback and in the container's termination message. For a
// file that somebody brought, an item of the starter set or a text to say, it gets or makes the file, looks at it or listens to
// it, uploads what was made, and says in the termination message what the file is. It holds no Kubernetes token and no credential of a store, and it
// never logs a URL beyond its host. Certificates in PEM in the variable REELOPS_CA are trusted beside those of the system.
// The programs that it starts on what somebody brought are confined (internal/work/child) and cannot look into it.
//
// Exit status:
//
//	0    the work is done and the outcome is said
//	1    it could not be done, and the outcome says why
//	2    the program was called wrongly, or nobody could be told how it went
//	143  it was asked to stop (SIGTERM); ffmpeg is stopped and the scratch folder is empty
package main
