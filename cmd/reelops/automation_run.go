// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/build"
	"github.com/reelops/reelops/internal/kube/status"
)

// runPoll is the time between two reads of a run that the command waits for.
const runPoll = time.Second

func newAutomationRunCommand(f *factory) *cobra.Command {
	var waits bool
	var timeout time.Duration
	c := &cobra.Command{
		Use: "run NAME", Short: "Run an automation now", Args: cobra.ExactArgs(1),
		Long: "Run an automation now, besides its schedule. The run takes the next item of the source, and its posts go out as soon as its short is\n" +
			"ready. Posts that the brand or the automation holds for approval are held. A paused automation does not run.\n" +
			"With --wait, a run that does not succeed is an error. After a timeout the run continues.",
		Example: examples("automation run daily-tip --account acme", "automation run daily-tip --account acme --wait --timeout 20m"),
	}
	c.Flags().BoolVar(&waits, "wait", false, "Wait until the run has ended")
	c.Flags().DurationVar(&timeout, "timeout", time.Hour, "Maximum time that --wait waits")
	account := addAccount(f, c, "Account of the automation")
	c.ValidArgsFunction = firstArgument(account.automations())
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		if timeout <= 0 {
			return nil, usagef("--timeout must be positive")
		}
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		run, err := a.startRun(ctx, in, args[0])
		if err != nil {
			return nil, err
		}
		fields := map[string]any{"name": run.Name, "account": in, "automation": args[0]}
		out := &result{object: run, fields: fields, text: fmt.Sprintf("run %q created", run.Name)}
		if !waits {
			return out, nil
		}
		err = a.awaitRun(ctx, run, timeout, func() {
			_, _ = fmt.Fprintf(f.ErrOut, "%s: %s: %s\n", run.Name, run.Status.State, status.Why(run.Status.Conditions))
		})
		fields["state"] = run.Status.State
		out.text += fmt.Sprintf(", state %s", run.Status.State)
		return out, err
	})
}

// startRun creates a manual run of an automation that is not paused.
func (a *admin) startRun(ctx context.Context, account, name string) (*v1beta1.AutomationRun, error) {
	x, err := a.automation(ctx, account, name)
	if err != nil {
		return nil, err
	}
	if x.Spec.Suspend {
		return nil, fmt.Errorf("automation %q is paused and starts no runs: resume it with `automation resume %s --account %s` first", name, name, account)
	}
	// The letter distinguishes the name from that of the run of a slot, which ends in a number.
	run := build.ManualRun(x, "m"+utilrand.String(8), time.Now())
	if err := a.client.Create(ctx, run); err != nil {
		return nil, fmt.Errorf("creating run %q: %w", run.Name, err)
	}
	return run, nil
}

// awaitRun reads a run into run until it has ended, and calls changed after each change of its state. The error is about
// the wait, or about a run that did not succeed. Reads that fail are repeated, unless the run was deleted or may not be
// read.
func (a *admin) awaitRun(ctx context.Context, run *v1beta1.AutomationRun, timeout time.Duration, changed func()) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, runPoll, timeout, true, func(ctx context.Context) (bool, error) {
		before := run.Status.State
		read := &v1beta1.AutomationRun{}
		last = a.client.Get(ctx, client.ObjectKeyFromObject(run), read)
		switch {
		case apierrors.IsNotFound(last) || last == nil && read.UID != run.UID:
			return false, notFoundf("run %q was deleted before it ended", run.Name)
		case apierrors.IsForbidden(last) || apierrors.IsUnauthorized(last):
			return false, last
		case last != nil:
			return false, nil //nolint:nilerr // the next poll reads it again
		}
		read.DeepCopyInto(run)
		if run.Status.State != before {
			changed()
		}
		return run.Status.State.Final(), nil
	})
	switch {
	case wait.Interrupted(err) && ctx.Err() == nil && last != nil:
		return fmt.Errorf("run %q could not be read for --timeout %s, and may not have ended: %w", run.Name, timeout, last)
	case wait.Interrupted(err) && ctx.Err() == nil:
		return fmt.Errorf("run %q has not ended after --timeout %s, and continues: see `kubectl get automationrun %s -n %s`",
			run.Name, timeout, run.Name, run.Namespace)
	case err != nil:
		return err
	case run.Status.State != v1beta1.RunSucceeded:
		return fmt.Errorf("run %q ended with the state %s: %s", run.Name, run.Status.State, status.Why(run.Status.Conditions))
	}
	return nil
}
