// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/install/backup"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
)

func newBackupCommand(f *factory) *cobra.Command {
	var blobs string
	var retire bool
	c := forInstallation(&cobra.Command{
		Use: "backup FILE", Short: "Back up the whole installation to one archive", Args: cobra.ExactArgs(1),
		Long: "Back up the whole installation to one archive: the objects of all accounts with their status, encrypted tokens, the counters of ids, and with\n" +
			"--blobs the files. The installation can keep running. FILE - is the standard output. The archive does not contain the keys that sign URLs and\n" +
			"encrypt tokens: back up the Secrets " + keysecret.SigningSecret + " and " + keysecret.TokenSecret + " separately.",
		Example: examples("backup reelops.tar.gz", "backup reelops.tar.gz --blobs file:///data/blobs", "backup reelops.tar.gz --retire    # to move to another cluster"),
	})
	c.Flags().StringVar(&blobs, "blobs", "", "Blob store, as the manager's --blob-url, to include the files in the archive; leave it out if the store has its own backup")
	c.Flags().BoolVar(&retire, "retire", false, "Stop the managers of this cluster permanently first, so that posts that are restored elsewhere are never sent from here")
	c.ValidArgsFunction = files()
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		return a.backup(ctx, f.IOStreams, args[0], blobs, retire)
	})
}

// installation returns the installation that the flags select. The caller must call shut to close its store.
func (a *admin) installation(ctx context.Context, streams genericiooptions.IOStreams, blobs string) (i *backup.Installation, shut func(), err error) {
	i = &backup.Installation{
		Client: a.client, SystemNamespace: a.systemNamespace, Clock: clock.RealClock{},
		Say: func(format string, args ...any) { _, _ = fmt.Fprintf(streams.ErrOut, format+"\n", args...) },
	}
	if blobs == "" {
		return i, func() {}, nil
	}
	if i.Files, err = openBlobs(ctx, blobs); err != nil {
		return nil, nil, err
	}
	return i, func() { _ = i.Files.Close() }, nil
}

// openBlobs opens the blob store at a URL. It cannot sign URLs that the installation accepts.
func openBlobs(ctx context.Context, url string) (*blob.Store, error) {
	unused := make([]byte, 32)
	_, _ = rand.Read(unused) // never fails
	return blob.Open(ctx, blob.Config{URL: url, SigningKey: unused, BaseURL: "http://127.0.0.1", Cloud: clouds.Stores{}})
}

// backup writes the archive to a temporary file first: an existing archive of that name stays until the new one is
// complete.
func (a *admin) backup(ctx context.Context, streams genericiooptions.IOStreams, file, blobs string, retire bool) (_ *result, err error) {
	i, shut, err := a.installation(ctx, streams, blobs)
	if err != nil {
		return nil, err
	}
	defer shut()
	out := streams.Out
	var part *os.File
	if file != "-" {
		if part, err = os.OpenFile(file+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil {
			return nil, err
		}
		defer func() { _, _ = part.Close(), os.Remove(part.Name()) }()
		out = part
	}
	if retire {
		if err := i.Hold(ctx, "retired", backup.Unheard+retireTime); err != nil {
			return nil, err
		}
	}
	head, end, err := i.Take(ctx, out, retire)
	if err != nil {
		return nil, fmt.Errorf("writing the backup: %w", err)
	}
	if part == nil {
		return nil, nil // the archive itself is the output
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return nil, fmt.Errorf("writing the backup: %w", err)
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return nil, err
	}
	say := fmt.Sprintf("%s contains %s\nIt does not contain the keys: back up the Secrets %s and %s of %s separately",
		file, counts(end.Objects), keysecret.SigningSecret, keysecret.TokenSecret, a.systemNamespace)
	if retire {
		say += fmt.Sprintf("\nThe managers of this cluster stay stopped. To start them again: kubectl delete lease %s -n %s", backup.LeaseName, a.systemNamespace)
	}
	return &result{
		fields: map[string]any{"file": file, "id": head.ID, "made": head.Made, "objects": end.Objects, "files": end.Files, "bytes": end.Bytes}, text: say,
	}, nil
}

// retireTime is how long a manager may take to record the outcome of calls in flight.
const retireTime = 45 * time.Second

func counts(objects map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(objects)) {
		parts = append(parts, fmt.Sprintf("%d %s", objects[k], k))
	}
	return strings.Join(parts, ", ")
}
