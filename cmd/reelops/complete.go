// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// completionTimeout is the timeout of one completion, for which the shell waits.
const completionTimeout = 5 * time.Second

// values returns the words that the shell offers.
type values = cobra.CompletionFunc

// fixed returns a completion that always offers the same words.
func fixed(words ...string) values {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return matching(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// listed returns a completion for the last element of a comma-separated list. It omits the elements that the list
// already has.
func listed(words ...string) values {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndex(typed, ",") + 1
		given := strings.Split(typed[:at], ",")
		var out []string
		for _, w := range matching(words, typed[at:]) {
			if !slices.Contains(given, w) {
				out = append(out, typed[:at]+w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// matching returns the words that begin with what was typed.
func matching(words []string, typed string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	return out
}

// completeFlag completes the value of a flag. It panics if the flag does not exist, which is a bug.
func completeFlag(c *cobra.Command, flag string, v values) {
	if err := c.RegisterFlagCompletionFunc(flag, v); err != nil {
		panic(err)
	}
}

// fromCluster returns a completion with words read from the cluster. After a failure it offers none, and `__complete`
// reports the error on standard error.
func (f *factory) fromCluster(read func(context.Context, *admin) ([]string, error)) values {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		found, err := f.readWords(cmd.Context(), read)
		if err != nil {
			cobra.CompErrorln(explain(runError{err}).Error())
			return nil, cobra.ShellCompDirectiveError
		}
		slices.Sort(found)
		return matching(slices.Compact(found), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

func (f *factory) readWords(ctx context.Context, read func(context.Context, *admin) ([]string, error)) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	a, err := f.connect()
	if err != nil {
		return nil, err
	}
	return read(ctx, a)
}

// firstArgument returns a completion for the first argument only.
func firstArgument(v values) values {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return v(cmd, args, typed)
	}
}

// files returns a completion for the first argument. It offers files with one of the extensions, or all files if there
// are no extensions.
func files(extensions ...string) values {
	return firstArgument(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if len(extensions) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	})
}

// described returns a word with the description that shells show beside it.
func described(word, text string) string { return cobra.CompletionWithDesc(word, text) }

// words returns a function that lists a word for each object. Empty words are omitted.
func words[T client.Object](list func() client.ObjectList, word func(T) string, options ...client.ListOption) func(context.Context, *admin) ([]string, error) {
	return func(ctx context.Context, a *admin) (out []string, err error) {
		err = a.each(ctx, list(), func(o client.Object) {
			if w := word(o.(T)); w != "" {
				out = append(out, w)
			}
		}, options...)
		return out, err
	}
}

// accounts returns a completion with the accounts.
func (f *factory) accounts() values {
	return f.fromCluster(words(func() client.ObjectList { return &v1beta1.AccountList{} }, func(x *v1beta1.Account) string { return x.Namespace }))
}

// namespaces returns a completion with the namespaces.
func (f *factory) namespaces() values {
	return f.fromCluster(words(func() client.ObjectList { return &corev1.NamespaceList{} }, func(x *corev1.Namespace) string { return x.Name }))
}

// brands returns a completion with the brands of the account that the command line selects.
func (a *accountFlag) brands() values {
	return a.f.fromCluster(func(ctx context.Context, c *admin) ([]string, error) {
		in, err := a.one()
		if err != nil {
			return nil, err
		}
		return words(func() client.ObjectList { return &v1beta1.BrandList{} },
			func(x *v1beta1.Brand) string { return described(x.Name, x.Spec.DisplayName) }, client.InNamespace(in))(ctx, c)
	})
}

// unrevokedKeys returns a completion with the ids of keys that are not revoked. They belong to the account that the
// command line selects, or to all accounts.
func (a *accountFlag) unrevokedKeys() values {
	return a.f.fromCluster(func(ctx context.Context, c *admin) ([]string, error) {
		in, err := a.given()
		if err != nil {
			return nil, err
		}
		return words(func() client.ObjectList { return &v1beta1.APIKeyList{} }, func(k *v1beta1.APIKey) string {
			if k.Spec.Revoked || idOf(k) == 0 {
				return ""
			}
			return described(fmt.Sprint(idOf(k)), fmt.Sprintf("%s, brand %s of %s", k.Spec.DisplayName, k.Spec.BrandRef.Name, k.Namespace))
		}, client.InNamespace(in))(ctx, c)
	})
}

// automations returns a completion with the automations of the account that the command line selects.
func (a *accountFlag) automations() values {
	return a.f.fromCluster(func(ctx context.Context, c *admin) ([]string, error) {
		in, err := a.one()
		if err != nil {
			return nil, err
		}
		return words(func() client.ObjectList { return &v1beta1.AutomationList{} }, func(x *v1beta1.Automation) string {
			return described(x.Name, cmp.Or(x.Spec.DisplayName, "brand "+x.Spec.BrandRef.Name))
		}, client.InNamespace(in))(ctx, c)
	})
}

// webhooks returns a completion with the webhook endpoints of the account that the command line selects.
func (a *accountFlag) webhooks() values {
	return a.f.fromCluster(func(ctx context.Context, c *admin) ([]string, error) {
		in, err := a.one()
		if err != nil {
			return nil, err
		}
		return words(func() client.ObjectList { return &v1beta1.WebhookEndpointList{} }, func(x *v1beta1.WebhookEndpoint) string {
			return described(x.Name, x.Spec.URL)
		}, client.InNamespace(in))(ctx, c)
	})
}

// batchesToApprove returns a completion with the batches that await approval, in the account that the command line
// selects.
func (a *accountFlag) batchesToApprove() values {
	return a.f.fromCluster(func(ctx context.Context, c *admin) ([]string, error) {
		in, err := a.one()
		if err != nil {
			return nil, err
		}
		return words(func() client.ObjectList { return &v1beta1.PostBatchList{} }, func(x *v1beta1.PostBatch) string {
			if !awaitsApproval(x) {
				return ""
			}
			return described(x.Name, fmt.Sprintf("brand %s, %d posts", x.Spec.BrandRef.Name, x.Status.Open))
		}, client.InNamespace(in))(ctx, c)
	})
}

// fromKubeconfig returns a completion with names from the kubeconfig.
func (f *factory) fromKubeconfig(names func(*api.Config) []string) values {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		config, err := f.config.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			cobra.CompErrorln(err.Error())
			return nil, cobra.ShellCompDirectiveError
		}
		return fixed(names(&config)...)(cmd, args, typed)
	}
}

// completeGlobal completes the flags that every command accepts.
func (f *factory) completeGlobal(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	completeFlag(root, "namespace", f.accounts())
	completeFlag(root, "system-namespace", f.namespaces())
	completeFlag(root, "context", f.fromKubeconfig(func(c *api.Config) []string { return slices.Sorted(maps.Keys(c.Contexts)) }))
	completeFlag(root, "cluster", f.fromKubeconfig(func(c *api.Config) []string { return slices.Sorted(maps.Keys(c.Clusters)) }))
	completeFlag(root, "user", f.fromKubeconfig(func(c *api.Config) []string { return slices.Sorted(maps.Keys(c.AuthInfos)) }))
	for _, file := range []string{"kubeconfig", "cache-dir", "certificate-authority", "client-certificate", "client-key"} {
		completeFlag(root, file, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
	}
}
