// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// maxReplay is how long recorded events are kept.
const maxReplay = 30 * 24 * time.Hour

func newWebhookCommand(f *factory) *cobra.Command {
	return group("webhook", "Webhook endpoints of an account", []*cobra.Command{
		newWebhookTestCommand(f), newWebhookRotateCommand(f), newWebhookReplayCommand(f),
	})
}

func newWebhookTestCommand(f *factory) *cobra.Command {
	return changesWebhook(f, &cobra.Command{
		Use: "test ENDPOINT", Short: "Send the event webhook.test to an endpoint",
		Long: "Send the event webhook.test to an endpoint once. ENDPOINT is the name of a WebhookEndpoint. An endpoint that was disabled is\n" +
			"enabled again. Its status.deliveries has the result.",
		Example: examples("webhook test crm --account acme"),
	}, func(w *v1beta1.WebhookEndpoint, now metav1.MicroTime) (string, error) {
		w.Spec.TestAt = &now
		return "test event requested", nil
	})
}

func newWebhookRotateCommand(f *factory) *cobra.Command {
	return changesWebhook(f, &cobra.Command{
		Use: "rotate ENDPOINT", Short: "Replace the signing secret of an endpoint",
		Long: "Replace the signing secret of an endpoint. ENDPOINT is the name of a WebhookEndpoint. For 24 hours, requests have signatures of\n" +
			"both secrets. The new one is in the key secret of the endpoint's Secret.",
		Example: examples("webhook rotate crm --account acme"),
	}, func(w *v1beta1.WebhookEndpoint, now metav1.MicroTime) (string, error) {
		w.Spec.RotateAt = &now
		return fmt.Sprintf("rotation requested: the Secret %q has the new secret", w.SecretName()), nil
	})
}

func newWebhookReplayCommand(f *factory) *cobra.Command {
	var since time.Duration
	c := &cobra.Command{
		Use: "replay ENDPOINT", Short: "Send recorded events to an endpoint again",
		Long: "Send recorded events to an endpoint again, with their former ids. ENDPOINT is the name of a WebhookEndpoint. Events are kept for\n" +
			"30 days.",
		Example: examples("webhook replay crm --account acme --since 6h"),
	}
	c.Flags().DurationVar(&since, "since", 24*time.Hour, "Age of the oldest event that is sent again, at most 720h")
	return changesWebhook(f, c, func(w *v1beta1.WebhookEndpoint, now metav1.MicroTime) (string, error) {
		if since <= 0 || since > maxReplay {
			return "", usagef("--since must be positive and at most %s", maxReplay)
		}
		from := metav1.NewTime(now.Add(-since))
		w.Spec.Replay = &v1beta1.WebhookReplay{From: from, At: now}
		return fmt.Sprintf("replay requested of the events since %s", from.UTC().Format(time.RFC3339)), nil
	})
}

// changesWebhook completes a command that changes the spec of an endpoint. change returns what it requested.
func changesWebhook(f *factory, c *cobra.Command, change func(w *v1beta1.WebhookEndpoint, now metav1.MicroTime) (string, error)) *cobra.Command {
	c.Args = cobra.ExactArgs(1)
	account := addAccount(f, c, "Account of the endpoint")
	c.ValidArgsFunction = firstArgument(account.webhooks())
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		w := &v1beta1.WebhookEndpoint{}
		if err := a.mustExist(ctx, in, args[0], w, notFoundf("there is no webhook endpoint %q in the account %q", args[0], in)); err != nil {
			return nil, err
		}
		before := w.DeepCopy()
		text, err := change(w, metav1.NewMicroTime(time.Now()))
		if err != nil {
			return nil, err
		}
		if err := a.client.Patch(ctx, w, client.MergeFrom(before)); err != nil {
			return nil, fmt.Errorf("changing the endpoint %q: %w", w.Name, err)
		}
		return &result{
			object: w, fields: map[string]any{"name": w.Name, "account": in, "url": w.Spec.URL},
			text: fmt.Sprintf("endpoint %q: %s", w.Name, text),
		}, nil
	})
}
