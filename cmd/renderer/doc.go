// SPDX-License-Identifier: Apache-2.0

// Command renderer makes one film and ends. It is the program in the pod of a render Job.
//
// It fetches an order by a signed URL, fetches the order's inputs, draws and encodes the film, checks it, uploads it by a
// signed URL, and says how it went: by a signed callback and in the container's termination message. It holds no Kubernetes
// token and no credential of a store, and it never logs a URL beyond its host.
//
// Exit status:
//
//	0    the film is uploaded and the outcome is said
//	1    there is no film, and the outcome says why
//	2    the program was called wrongly, or nobody could be told how it went
//	143  it was asked to stop (SIGTERM); ffmpeg is stopped and the scratch folder is empty
package main
