// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
)

func newBrandCommand(f *factory) *cobra.Command {
	return group("brand", "Manage brands of an account", []*cobra.Command{newBrandCreateCommand(f), newBrandListCommand(f)})
}
