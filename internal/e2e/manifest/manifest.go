// SPDX-License-Identifier: Apache-2.0

// Package manifest writes the manifests of a GitOps repository, for the end-to-end tests.
package manifest

import (
	"fmt"
	"time"
)

// Batch returns a PostBatch that publishes a short on all accounts of two platforms. The brand has the name of the
// account.
func Batch(account, name, short string, at time.Time) string {
	return fmt.Sprintf(`apiVersion: reelops.dev/v1beta1
kind: PostBatch
metadata: {name: %[1]s, namespace: %[2]s}
spec:
  brandRef: {name: %[2]s}
  shortRef: {name: %[3]s}
  platforms: [tiktok, linkedin]
  scheduledAt: %[4]q
`, name, account, short, at.UTC().Format(time.RFC3339))
}

// Launch returns a PostBatch and the short that it publishes, the batch first.
func Launch(account, name, caption string, at time.Time) string {
	return Batch(account, name, name, at) + fmt.Sprintf(`---
apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: %[1]s, namespace: %[2]s}
spec:
  brandRef: {name: %[2]s}
  caption: %[3]q
  tags: ""
  autoRender: true
  film: {motion: still, transition: cut}
  slides:
  - {heading: A desk that stays tidy}
  - {heading: One tray for paper}
  - {heading: Close the day}
`, name, account, caption)
}
