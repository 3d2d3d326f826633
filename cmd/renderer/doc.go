// SPDX-License-Identifier: Apache-2.0

// Command renderer processes one order and exits. It runs in the pods of Jobs that render videos and open users' files.
//
// The renderer fetches an order by a signed URL. For a video it fetches the order's inputs, draws and encodes the
// video, checks it and uploads it by a signed URL. It reports the outcome by a signed callback and in the container's
// termination message.
//
// Other orders are an uploaded file, an item of the starter set, or a text to speak. For these it fetches or creates
// the file, probes it, uploads the results, and reports the file's properties in the termination message.
//
// The renderer holds no Kubernetes token and no credentials of a store, and never logs a URL beyond its host. It trusts
// the PEM certificates in the variable REELOPS_CA in addition to those of the system. The programs that it starts on
// users' files are confined (internal/work/child) and cannot read its environment or memory.
//
// Exit status:
//
//	0    the work succeeded and the outcome was reported
//	1    the work failed, and the outcome holds the reason
//	2    the program was called with wrong options, or the outcome could not be reported
//	143  the program was stopped by SIGTERM; ffmpeg is stopped and the scratch folder is empty
package main
