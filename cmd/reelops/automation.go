// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

func newAutomationCommand(f *factory) *cobra.Command {
	return group("automation", "Manage automations: shorts that are created and published on a schedule", []*cobra.Command{
		newAutomationListCommand(f), newAutomationNextCommand(f), newAutomationRunCommand(f), newAutomationPauseCommand(f), newAutomationResumeCommand(f),
	})
}

func newAutomationListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short: "List automations", Example: examples("automation list", "automation list --account acme -o wide", "automation list -n acme -o name"),
	}
	return lists(f, c, listing[*v1beta1.Automation]{
		plural: "automations", list: func() client.ObjectList { return &v1beta1.AutomationList{} },
		columns: []column[*v1beta1.Automation]{
			{name: "ID", cell: func(x *v1beta1.Automation) any { return shownID(x) }},
			{name: "Account", cell: func(x *v1beta1.Automation) any { return x.Namespace }},
			{name: "Automation", cell: func(x *v1beta1.Automation) any { return x.Name }},
			{name: "Brand", cell: func(x *v1beta1.Automation) any { return x.Spec.BrandRef.Name }},
			{name: "Ready", cell: func(x *v1beta1.Automation) any { return ready(x.Status.Conditions) }},
			{name: "Reason", cell: func(x *v1beta1.Automation) any { return reason(x.Status.Conditions) }},
			{name: "Next", cell: func(x *v1beta1.Automation) any {
				if len(x.Status.NextTimes) == 0 {
					return ""
				}
				return moment(&x.Status.NextTimes[0], "")
			}},
			{name: "Active", cell: func(x *v1beta1.Automation) any { return len(x.Status.Active) }},
			{name: "Runs", cell: func(x *v1beta1.Automation) any { return x.Status.Runs }},
			{name: "Age", cell: func(x *v1beta1.Automation) any { return age(x) }},
			{name: "Name", wide: true, cell: func(x *v1beta1.Automation) any { return x.Spec.DisplayName }},
			{name: "Suspend", wide: true, cell: func(x *v1beta1.Automation) any { return x.Spec.Suspend }},
			{name: "Succeeded", wide: true, cell: func(x *v1beta1.Automation) any { return moment(x.Status.LastSuccessfulTime, "") }},
		},
	})
}

func newAutomationPauseCommand(f *factory) *cobra.Command {
	return suspends(f, true, &cobra.Command{
		Use: "pause NAME", Short: "Pause an automation",
		Long: "Pause an automation: spec.suspend becomes true. No slot starts, and runs that have started create nothing more. Posts that are\n" +
			"scheduled are published all the same. Slots that pass while the automation is paused do not run later.",
		Example: examples("automation pause daily-tip --account acme"),
	})
}

func newAutomationResumeCommand(f *factory) *cobra.Command {
	return suspends(f, false, &cobra.Command{
		Use: "resume NAME", Short: "Resume a paused automation",
		Long: "Resume a paused automation: spec.suspend becomes false. The next slot starts at its time. The count of consecutive failures starts\n" +
			"again.",
		Example: examples("automation resume daily-tip --account acme"),
	})
}

// suspends completes a command that sets spec.suspend of an automation.
func suspends(f *factory, suspend bool, c *cobra.Command) *cobra.Command {
	c.Args = cobra.ExactArgs(1)
	account := addAccount(f, c, "Account of the automation")
	c.ValidArgsFunction = firstArgument(account.automations())
	state := "running"
	if suspend {
		state = "paused"
	}
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		x, err := a.automation(ctx, in, args[0])
		if err != nil {
			return nil, err
		}
		fields := map[string]any{"name": x.Name, "account": in, "suspend": suspend}
		out := &result{object: x, fields: fields, text: fmt.Sprintf("automation %q was already %s", x.Name, state)}
		if x.Spec.Suspend == suspend {
			return out, nil
		}
		before := x.DeepCopy()
		owner := fieldowner.Declarer(x.ManagedFields)
		x.Spec.Suspend = suspend
		if err := a.client.Patch(ctx, x, client.MergeFrom(before)); err != nil {
			return nil, fmt.Errorf("changing automation %q: %w", x.Name, err)
		}
		out.text = fmt.Sprintf("automation %q is %s", x.Name, state)
		if owner != "" {
			warning := fmt.Sprintf("%q applies the automation from a manifest and may undo this change: set spec.suspend to %t there too", owner, suspend)
			fields["warning"] = warning
			out.text += "\nwarning: " + warning
		}
		return out, nil
	})
}

// automation returns an automation, or a not-found error.
func (a *admin) automation(ctx context.Context, account, name string) (*v1beta1.Automation, error) {
	x := &v1beta1.Automation{}
	err := a.mustExist(ctx, account, name, x, notFoundf("there is no automation %q in the account %q: `automation list` shows the automations", name, account))
	return x, err
}
