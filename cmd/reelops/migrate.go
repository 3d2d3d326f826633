// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reelops/reelops/internal/install/migrate"
)

func newMigrateCommand(f *factory) *cobra.Command {
	var dryRun bool
	c := forInstallation(&cobra.Command{
		Use: "migrate", Short: "Rewrite all objects in the current storage version", Args: cobra.NoArgs,
		Long: "Rewrite every object of every kind in the current storage version, and remove earlier versions from status.storedVersions of the\n" +
			"CustomResourceDefinitions. Run it after an upgrade that changed the stored version: a later release can then stop serving the earlier one.\n" +
			"It also renames the field managers of earlier releases. Spec and status do not change. It can run beside the installation,\n" +
			"and again after an interruption.",
		Example: examples("migrate --dry-run", "migrate"),
	})
	c.Flags().BoolVar(&dryRun, "dry-run", false, "Send every write to the Kubernetes API server for validation only, and store none")
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (*result, error) {
		done := "written"
		if dryRun {
			done = "validated"
		}
		m := &migrate.Migration{Client: a.client, DryRun: dryRun, Progress: func(k migrate.Kind) {
			_, _ = fmt.Fprintf(f.ErrOut, "%s: %d objects %s\n", k.Resource, k.Objects, done)
		}}
		kinds, err := m.Run(ctx)
		if len(kinds) == 0 {
			return nil, err
		}
		return &result{fields: map[string]any{"dryRun": dryRun, "kinds": kinds}, text: migrated(kinds, dryRun)}, err
	})
}

// migrated returns a line for each kind, followed by its failures.
func migrated(kinds []migrate.Kind, dryRun bool) string {
	var out strings.Builder
	for _, k := range kinds {
		state := "complete"
		switch {
		case len(k.Removed) > 0 && dryRun:
			state = fmt.Sprintf("would remove %s from the stored versions", strings.Join(k.Removed, ", "))
		case len(k.Removed) > 0:
			state = fmt.Sprintf("complete, removed %s from the stored versions", strings.Join(k.Removed, ", "))
		case !k.Complete:
			state = fmt.Sprintf("not complete, %d objects failed", k.Failed)
		}
		fmt.Fprintf(&out, "%s %s: %d objects, %s\n", k.Resource, k.Version, k.Objects, state)
		for _, why := range k.Reasons {
			fmt.Fprintf(&out, "  %s\n", why)
		}
	}
	return out.String()
}
