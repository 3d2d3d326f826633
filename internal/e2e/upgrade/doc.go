// SPDX-License-Identifier: Apache-2.0

// Package upgrade starts the programs of this tree on the objects that an earlier release left behind, and compares
// what the interface returns with what the earlier release returned.
//
// testdata holds one folder for each recorded installation:
//
//   - objects.jsonl: the objects as the cluster stored them, one a line with its key in etcd
//   - answers.jsonl: the answers of every read of the interface, and of repeated creates, given by the release's own
//     front end
//   - journal.jsonl: the state of the platforms' sandbox: what was published, and the tokens
//   - files.jsonl: the files of the blob store; texts with their content, pictures and videos with what is needed to
//     generate ones like them
//   - recording.json: when the installation was stopped, and its API key
//
// The test loads a folder into a new control plane. All times move by the age of the recording, so that the
// installation was stopped just now. TestRecord makes a folder; it needs the programs and the config folder of the
// release:
//
//	REELOPS_BIN=RELEASE/bin go test ./internal/e2e/upgrade -run TestRecord -record COMMIT -config RELEASE/config/local
package upgrade
