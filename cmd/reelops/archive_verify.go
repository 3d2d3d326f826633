// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
)

func newArchiveVerifyCommand(f *factory) *cobra.Command {
	var blobs string
	c := &cobra.Command{
		Use: "verify", Short: "Read the files of archives and report faults", Args: cobra.NoArgs,
		Long: "Read all files of the archives of the accounts, and print a line for each fault: files that are missing or damaged, rows that are\n" +
			"missing, unsorted or doubled, posts without their short, and objects that differ from their columns. Changes nothing. The exit code\n" +
			"is 1 if there is a fault.",
		Example: examples("archive verify --blobs s3://reelops?region=eu-central-1", "archive verify --account acme --blobs file:///data/blobs"),
	}
	c.Flags().StringVar(&blobs, "blobs", "", "Blob store, as the manager's --blob-url")
	_ = c.MarkFlagRequired("blobs")
	account := addAccounts(f, c)
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (*result, error) {
		in, err := account.given()
		if err != nil {
			return nil, err
		}
		files, err := openBlobs(ctx, blobs)
		if err != nil {
			return nil, err
		}
		defer func() { _ = files.Close() }()
		v := &verification{admin: a, store: archive.New(files, 0), Faults: []string{}}
		if err := v.run(ctx, in); err != nil {
			return nil, err
		}
		if n := len(v.Faults); n > 0 {
			return &result{fields: v, text: strings.Join(v.Faults, "\n")}, fmt.Errorf("%d faults in %d segments", n, v.Segments)
		}
		return &result{fields: v, text: fmt.Sprintf("no faults in %d segments with %d shorts and %d posts", v.Segments, v.Shorts, v.Posts)}, nil
	})
}

// verification is a pass over archives, and the output of `archive verify`.
type verification struct {
	*admin `json:"-"`
	store  *archive.Store

	Segments int      `json:"segments"`
	Shorts   int      `json:"shorts"`
	Posts    int      `json:"posts"`
	Faults   []string `json:"faults"`
}

// run verifies the archive of an account, or all archives if it is empty.
func (v *verification) run(ctx context.Context, account string) error {
	var all []*v1beta1.Archive
	err := v.each(ctx, &v1beta1.ArchiveList{}, func(o client.Object) { all = append(all, o.(*v1beta1.Archive)) }, client.InNamespace(account))
	if err != nil {
		return err
	}
	if account != "" && len(all) == 0 {
		return v.accountMustExist(ctx, account)
	}
	for _, x := range all {
		for i := range x.Status.Segments {
			if err := v.segment(ctx, x.Namespace, &x.Status.Segments[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// segment verifies a segment. An error of the store that is not about the files ends the pass.
func (v *verification) segment(ctx context.Context, account string, s *v1beta1.ArchiveSegment) error {
	shorts, posts, err := v.store.Read(ctx, account, s)
	faults := []string{}
	switch {
	case errors.Is(err, archive.ErrDamaged):
		// A merge with other segments deletes the files.
		if listed, err := v.listed(ctx, account, s.Name); err != nil || !listed {
			return err
		}
		faults = append(faults, err.Error())
	case err != nil:
		return fmt.Errorf("reading the segment %s of the account %s: %w", s.Name, account, err)
	default:
		faults = archive.Faults(s, shorts, posts)
	}
	v.Segments++
	v.Shorts += len(shorts)
	v.Posts += len(posts)
	for _, f := range faults {
		v.Faults = append(v.Faults, fmt.Sprintf("%s/%s: %s", account, s.Name, f))
	}
	return nil
}

// listed reports whether the Archive of an account still has a segment.
func (v *verification) listed(ctx context.Context, account, segment string) (bool, error) {
	x := &v1beta1.Archive{}
	err := v.client.Get(ctx, client.ObjectKey{Namespace: account, Name: v1beta1.ArchiveName}, x)
	return slices.ContainsFunc(x.Status.Segments, func(s v1beta1.ArchiveSegment) bool { return s.Name == segment }), client.IgnoreNotFound(err)
}
