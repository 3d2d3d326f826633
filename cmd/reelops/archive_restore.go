// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recall"
)

// archivePoll is the time between two reads of an archive that the command waits for.
const archivePoll = time.Second

func newArchiveRestoreCommand(f *factory) *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "restore ID...", Short: "Return shorts from the archive to the cluster", Args: cobra.MinimumNArgs(1),
		Long: "Return shorts from the archive to the cluster, with their renders, batches and posts, and wait until they are there. ID is the id of\n" +
			"a short. They keep their names and ids, and are archived again when they have not changed for the time of the plan. After a timeout\n" +
			"the restore continues.",
		Example: examples("archive restore 812 --account acme", "archive restore 812 813 814 --account acme --timeout 20m"),
	}
	c.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "Maximum time to wait")
	account := addAccount(f, c, "Account of the shorts")
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		if timeout <= 0 {
			return nil, usagef("--timeout must be positive")
		}
		ids, err := shortIDs(args)
		if err != nil {
			return nil, err
		}
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		return a.recall(ctx, in, ids, timeout)
	})
}

// shortIDs parses ids, and sorts them.
func shortIDs(args []string) ([]int64, error) {
	if len(args) > v1beta1.MaxArchiveRestores {
		return nil, usagef("at most %d shorts can be restored at once", v1beta1.MaxArchiveRestores)
	}
	var out []int64
	for _, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || id <= 0 {
			return nil, usagef("the id of a short is a number, not %q", arg)
		}
		out = append(out, id)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// recall requests the restore of shorts that are not in the cluster, and waits for it.
func (a *admin) recall(ctx context.Context, account string, ids []int64, timeout time.Duration) (*result, error) {
	missing, err := a.missing(ctx, account, ids)
	if err != nil {
		return nil, err
	}
	out := &result{fields: map[string]any{"account": account, "shorts": ids, "restored": missing}}
	if len(missing) == 0 {
		out.text = fmt.Sprintf("already in the cluster: %s", idList(ids))
		return out, nil
	}
	if err := a.requestRecall(ctx, account, missing); err != nil {
		return nil, err
	}
	if err := a.awaitRecall(ctx, account, missing, timeout); err != nil {
		return nil, err
	}
	absent, err := a.missing(ctx, account, missing)
	if err != nil {
		return nil, err
	}
	if len(absent) > 0 {
		return nil, notFoundf("not restored, because the archive of the account %q does not hold them or an event of the Archive has the reason: %s",
			account, idList(absent))
	}
	out.text = fmt.Sprintf("restored: %s", idList(missing))
	return out, nil
}

// missing returns those of the ids of which the cluster has neither a short nor a post.
func (a *admin) missing(ctx context.Context, account string, ids []int64) ([]int64, error) {
	out := []int64{}
	for _, id := range ids {
		there := false
		for list, label := range map[client.ObjectList]string{
			&v1beta1.SlideshowList{}: v1beta1.LabelID, &v1beta1.VideoList{}: v1beta1.LabelID, &v1beta1.PostList{}: v1beta1.LabelShort,
		} {
			err := a.each(ctx, list, func(o client.Object) {
				there = there || v1beta1.Whole().Matches(labels.Set(o.GetLabels()))
			}, client.InNamespace(account), client.MatchingLabels{label: strconv.FormatInt(id, 10)})
			if err != nil {
				return nil, fmt.Errorf("looking for short %d: %w", id, err)
			}
		}
		if !there {
			out = append(out, id)
		}
	}
	return out, nil
}

// requestRecall adds shorts to spec.restore.
func (a *admin) requestRecall(ctx context.Context, account string, ids []int64) error {
	if _, err := a.archive(ctx, account); err != nil {
		return err
	}
	if err := recall.Request(ctx, a.client, a.client, account, nil, ids...); err != nil {
		return fmt.Errorf("requesting the restore: %w", err)
	}
	return nil
}

// archive reads the Archive of an account.
func (a *admin) archive(ctx context.Context, account string) (*v1beta1.Archive, error) {
	x := &v1beta1.Archive{}
	return x, a.mustExist(ctx, account, v1beta1.ArchiveName, x, notFoundf("nothing of the account %q is archived", account))
}

// awaitRecall waits until spec.restore has none of the ids. Reads that fail are repeated.
func (a *admin) awaitRecall(ctx context.Context, account string, ids []int64, timeout time.Duration) error {
	var last error
	open := ids
	err := wait.PollUntilContextTimeout(ctx, archivePoll, timeout, true, func(ctx context.Context) (bool, error) {
		var x *v1beta1.Archive
		if x, last = a.archive(ctx, account); last != nil {
			return false, nil //nolint:nilerr // the next poll reads it again
		}
		open = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !slices.Contains(x.Spec.Restore, id) })
		return len(open) == 0, nil
	})
	switch {
	case wait.Interrupted(err) && ctx.Err() == nil && last != nil:
		return fmt.Errorf("the archive of the account %q could not be read for --timeout %s: %w", account, timeout, last)
	case wait.Interrupted(err) && ctx.Err() == nil:
		return fmt.Errorf("not restored after --timeout %s: %s. The restore continues; the manager does it, so see `%s doctor` if it takes longer",
			timeout, idList(open), programName())
	}
	return err
}

// idList returns ids with commas.
func idList(ids []int64) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(out, ", ")
}
