// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/backup"
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/blob/clouds"
	"github.com/reelops/reelops/internal/keysecret"
)

const blobsHelp = "the store of files, as the manager's --blob-url, to have the files in the archive as well; leave it out where the store is backed up by its own means"

func (a *admin) backupCommand() *cobra.Command {
	var blobs string
	var retire bool
	c := &cobra.Command{
		Use: "backup FILE", Short: "Write everything of the installation into one archive", Args: cobra.ExactArgs(1),
		Long: "Write everything of the installation into one archive: the objects of all accounts with their status, sealed tokens, the counters of ids, and with\n" +
			"--blobs the files. Nothing has to be stopped for it. FILE - is the standard output. The keys that sign addresses and seal tokens are not in it: keep the\n" +
			"Secrets reelops-signing-key and reelops-token-key apart from it.",
		Example: "  reelops backup reelops.tar.gz\n  reelops backup reelops.tar.gz --blobs file:///data/blobs\n  reelops backup reelops.tar.gz --retire    # to move to another cluster",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.backup(cmd.Context(), args[0], blobs, retire) },
	}
	c.Flags().StringVar(&blobs, "blobs", "", blobsHelp)
	c.Flags().BoolVar(&retire, "retire", false, "stop the managers of this cluster for good before: what is restored elsewhere is then never sent from here")
	return c
}

func (a *admin) restoreCommand() *cobra.Command {
	var blobs string
	var into, send bool
	c := &cobra.Command{
		Use: "restore FILE", Short: "Make an installation again of what a backup wrote", Args: cobra.ExactArgs(1),
		Long: "Make an installation again of what a backup wrote. Install the same release of Reelops first, or a later one, with the Secrets reelops-signing-key and\n" +
			"reelops-token-key that it had. Managers with --leader-elect, as the chart and config/default install them, are stopped meanwhile; stop others yourself. When it\n" +
			"was interrupted, run it again.\n\n" +
			"Ids stay. What was published is not published again. Scheduled posts are suspended, because the " +
			"installation that was backed up may still run and send them;\n" +
			"they go out at their time if the backup was written with --retire, or with --send. What was due between the backup and the restore may have\n" +
			"gone out and does not go out again, and an attempt that was on its way is looked for on the platform.",
		Example: "  reelops restore reelops.tar.gz\n  reelops restore reelops.tar.gz --send    # the installation that was backed up does not exist any more",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.restore(cmd.Context(), args[0], blobs, into, send)
		},
	}
	c.Flags().StringVar(&blobs, "blobs", "", "the store of files, as the manager's --blob-url, to restore the files that are in the archive")
	c.Flags().BoolVar(&send, "send", false, "let scheduled posts go out at their time: the installation that was backed up does not run any more")
	c.Flags().BoolVar(&into, "into-existing", false, "restore beside objects that are there; an object of the same name is left as it is")
	return c
}

// installation is what the flags name. Close its store.
func (a *admin) installation(ctx context.Context, blobs string) (i *backup.Installation, shut func(), err error) {
	i = &backup.Installation{
		Client: a.client, SystemNamespace: a.systemNamespace, Clock: clock.RealClock{},
		Say: func(format string, args ...any) { _, _ = fmt.Fprintf(os.Stderr, format+"\n", args...) },
	}
	if blobs == "" {
		return i, func() {}, nil
	}
	unused := make([]byte, 32) // no address is signed
	_, _ = rand.Read(unused)   // never fails
	if i.Files, err = blob.Open(ctx, blob.Config{URL: blobs, SigningKey: unused, BaseURL: "http://127.0.0.1", Cloud: clouds.Stores{}}); err != nil {
		return nil, nil, err
	}
	return i, func() { _ = i.Files.Close() }, nil
}

func (a *admin) backup(ctx context.Context, file, blobs string, retire bool) (err error) {
	i, shut, err := a.installation(ctx, blobs)
	if err != nil {
		return err
	}
	defer shut()
	out := a.out
	var part *os.File
	if file != "-" {
		if part, err = os.OpenFile(file+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil {
			return err
		}
		defer func() { _, _ = part.Close(), os.Remove(part.Name()) }()
		out = part
	}
	if retire {
		if err := i.Hold(ctx, "retired", backup.Unheard+retireTime); err != nil {
			return err
		}
	}
	head, end, err := i.Take(ctx, out, retire)
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	if part == nil {
		return nil
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("writing the backup: %w", err) // an older one of this name stays
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return err
	}
	say := fmt.Sprintf("%s holds %s\nThe keys are not in it: keep the Secrets %s and %s of %s as well, elsewhere",
		file, counts(end.Objects), keysecret.SigningSecret, keysecret.TokenSecret, a.systemNamespace)
	if retire {
		say += fmt.Sprintf("\nThe managers of this cluster stay stopped. To let them work again: kubectl delete lease %s -n %s", backup.LeaseName, a.systemNamespace)
	}
	return a.print(map[string]any{"file": file, "id": head.ID, "made": head.Made, "objects": end.Objects, "files": end.Files, "bytes": end.Bytes}, say)
}

// retireTime is what a manager takes to write down what became of calls that it had begun.
const retireTime = 45 * time.Second

func counts(objects map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(objects)) {
		parts = append(parts, fmt.Sprintf("%d %s", objects[k], k))
	}
	return strings.Join(parts, ", ")
}

func (a *admin) restore(ctx context.Context, file, blobs string, into, send bool) error {
	i, shut, err := a.installation(ctx, blobs)
	if err != nil {
		return err
	}
	defer shut()
	res, err := i.Put(ctx, backup.Restore{Open: func() (io.ReadCloser, error) { return os.Open(file) }, Into: into, Send: send, Wait: backup.Unheard})
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return fmt.Errorf("%w: restore into a cluster in which nothing was made yet, or give --into-existing to restore beside it", err)
	case errors.Is(err, backup.ErrDamaged):
		return fmt.Errorf("%w: nothing was restored", err)
	case err != nil:
		return fmt.Errorf("%w\nRun the same command again: it goes on where it stopped, and the managers wait until it is done", err)
	}
	say := fmt.Sprintf("restored %s of %s", counts(res.Restored), res.Head.Made.Format(time.RFC3339))
	if res.There > 0 {
		say += fmt.Sprintf("\n%d objects were there and are as they were", res.There)
	}
	if res.Suspended > 0 {
		say += fmt.Sprintf("\n%d batches of posts are suspended: the installation that was backed up may still "+
			"send them. Once it is stopped, in each account:\n"+
			"  kubectl get postbatches -n ACCOUNT -l %s=%s -o name | xargs -I{} kubectl patch -n ACCOUNT {} --type merge -p '{\"spec\":{\"suspend\":false}}'",
			res.Suspended, v1beta1.LabelSuspendedBy, backup.SuspendedByRestore)
	}
	if res.Orphans > 0 {
		say += fmt.Sprintf("\n%d objects are left out: what owned them is not in the archive", res.Orphans)
	}
	if res.Restored["Secret"] > 0 {
		err := a.client.Get(ctx, client.ObjectKey{Namespace: a.systemNamespace, Name: keysecret.TokenSecret}, &corev1.Secret{})
		if apierrors.IsNotFound(err) {
			say += fmt.Sprintf("\nThere is no Secret %s in %s: without the key that it had, people have to connect their accounts again", keysecret.TokenSecret, a.systemNamespace)
		}
	}
	return a.print(map[string]any{
		"id": res.Head.ID, "made": res.Head.Made, "objects": res.Restored, "there": res.There, "orphans": res.Orphans,
		"files": res.Files, "suspended": res.Suspended,
	}, say)
}
