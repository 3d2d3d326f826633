// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
)

func newKeyCommand(f *factory) *cobra.Command {
	return group("key", "API keys of a brand", []*cobra.Command{newKeyCreateCommand(f), newKeyListCommand(f), newKeyRevokeCommand(f)})
}
