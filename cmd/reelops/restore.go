// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/install/backup"
)

func newRestoreCommand(f *factory) *cobra.Command {
	var blobs string
	var into, send bool
	c := forInstallation(&cobra.Command{
		Use: "restore FILE", Short: "Restore an installation from an archive", Args: cobra.ExactArgs(1),
		Long: "Restore an installation from an archive. First install the same release of Reelops or a later one, with the Secrets " + keysecret.SigningSecret + " and\n" +
			keysecret.TokenSecret + " of the installation that was backed up. Managers with --leader-elect, as the chart and config/default install them, are stopped\n" +
			"meanwhile; stop others yourself. If the command was interrupted, run it again.\n\n" +
			"Ids stay. Published posts are not published again. Scheduled posts are suspended, because the installation that was backed up may still run and\n" +
			"send them; they are published at their time if the backup was written with --retire, or with --send. Posts that were due between the backup\n" +
			"and the restore are not sent, and an attempt that was in flight is looked up on the platform.",
		Example: examples("restore reelops.tar.gz", "restore reelops.tar.gz --send    # the installation that was backed up no longer runs"),
	})
	c.Flags().StringVar(&blobs, "blobs", "", "Blob store, as the manager's --blob-url, to restore the files that are in the archive")
	c.Flags().BoolVar(&send, "send", false, "Publish scheduled posts at their time; only if the installation that was backed up no longer runs")
	c.Flags().BoolVar(&into, "into-existing", false, "Restore into a cluster with objects; an existing object of the same name is not changed")
	c.ValidArgsFunction = files()
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		return a.restore(ctx, f.IOStreams, args[0], blobs, backup.Restore{Into: into, Send: send})
	})
}

func (a *admin) restore(ctx context.Context, streams genericiooptions.IOStreams, file, blobs string, how backup.Restore) (*result, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	i, shut, err := a.installation(ctx, streams, blobs)
	if err != nil {
		return nil, err
	}
	defer shut()
	how.Open, how.Wait = func() (io.ReadCloser, error) { return os.Open(file) }, backup.Unheard
	res, err := i.Put(ctx, how)
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return nil, fmt.Errorf("%w: restore into a cluster without objects, or set --into-existing", err)
	case errors.Is(err, backup.ErrDamaged):
		return nil, fmt.Errorf("%w: nothing was restored", err)
	case err != nil:
		return nil, fmt.Errorf("%w\nRun the same command again: it continues where it stopped, and the managers wait until it is done", err)
	}
	return &result{text: a.restored(ctx, &res), fields: map[string]any{
		"id": res.Head.ID, "made": res.Head.Made, "objects": res.Restored, "there": res.There, "orphans": res.Orphans,
		"files": res.Files, "suspended": res.Suspended,
	}}, nil
}

// restored returns a description of a finished restore and of the remaining steps.
func (a *admin) restored(ctx context.Context, res *backup.Result) string {
	say := fmt.Sprintf("restored %s of %s", counts(res.Restored), res.Head.Made.Format(time.RFC3339))
	if res.There > 0 {
		say += fmt.Sprintf("\n%d objects already existed and were not changed", res.There)
	}
	if res.Suspended > 0 {
		say += fmt.Sprintf("\n%d batches of posts, automations and webhook endpoints are suspended: the installation that was backed up may still "+
			"send posts and events. Once it is stopped, in each account:\n"+
			"  kubectl get postbatches,automations,webhookendpoints -n ACCOUNT -l %s=%s -o name | xargs -I{} kubectl patch -n ACCOUNT {} --type merge -p '{\"spec\":{\"suspend\":false}}'",
			res.Suspended, v1beta1.LabelSuspendedBy, backup.SuspendedByRestore)
	}
	if res.Orphans > 0 {
		say += fmt.Sprintf("\n%d objects were not restored: their owners are not in the archive", res.Orphans)
	}
	if res.Restored["Secret"] > 0 {
		err := a.client.Get(ctx, client.ObjectKey{Namespace: a.systemNamespace, Name: keysecret.TokenSecret}, &corev1.Secret{})
		if apierrors.IsNotFound(err) {
			say += fmt.Sprintf("\nThere is no Secret %s in %s: without its key, every social account has to be connected again", keysecret.TokenSecret, a.systemNamespace)
		}
	}
	return say
}
