// SPDX-License-Identifier: Apache-2.0

// Command renderer executes one order and exits. It runs in the pods of Jobs that render videos and open files of
// users.
//
// It downloads the order from a signed URL. For a video, it downloads the inputs, renders, encodes and validates the
// video, and uploads it to a signed URL. For media work, it downloads or creates a file, inspects it, and uploads the
// created files. It stores the outcome at a signed URL, and writes a shorter one to the container's termination
// message. For a video, it also reports its progress and its completion to the front end.
//
// It has no Kubernetes token and no credential of a store. It logs at most the host of a URL. It trusts the PEM
// certificates in the variable REELOPS_CA in addition to those of the system. The programs that open files of users are
// confined (internal/work/child) and cannot read its memory.
//
// Exit status:
//
//	0    the work succeeded and the outcome is reported
//	1    the work failed, and the outcome has the reason
//	2    the options are invalid, or the outcome could not be reported
//	143  SIGTERM: ffmpeg is stopped and the scratch folder is empty
package main
