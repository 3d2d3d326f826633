// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reelops/reelops/internal/migrate"
)

func (a *admin) migrateCommand() *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use: "migrate", Short: "Rewrite all objects in the stored version", Args: cobra.NoArgs,
		Long: "Rewrite every object of every kind in the version that the cluster stores now, and remove earlier versions from status.storedVersions of the\n" +
			"CustomResourceDefinitions. Run it after an upgrade that changed the stored version: a later release can then stop serving the earlier one.\n" +
			"No field of an object changes. It can run beside the installation, and again after an interruption.",
		Example: "  reelops migrate --dry-run\n  reelops migrate",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.migrate(cmd.Context(), dryRun) },
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "let the API server validate every write and store none")
	return c
}

func (a *admin) migrate(ctx context.Context, dryRun bool) error {
	m := &migrate.Migration{Client: a.client, DryRun: dryRun, Progress: func(k migrate.Kind) {
		_, _ = fmt.Fprintf(os.Stderr, "%s: %d objects written\n", k.Resource, k.Objects)
	}}
	kinds, err := m.Run(ctx)
	if len(kinds) > 0 {
		if err := a.print(map[string]any{"dryRun": dryRun, "kinds": kinds}, migrated(kinds, dryRun)); err != nil {
			return err
		}
	}
	return err
}

// migrated is a line for each kind, and its failures.
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
