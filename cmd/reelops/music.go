// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
)

func newMusicCommand(f *factory) *cobra.Command {
	return group("music", "Manage background music", []*cobra.Command{newMusicAddCommand(f), newMusicListCommand(f)})
}
