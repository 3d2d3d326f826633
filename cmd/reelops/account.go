// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
)

func newAccountCommand(f *factory) *cobra.Command {
	return group("account", "Manage accounts; each is a tenant with its own namespace", []*cobra.Command{newAccountCreateCommand(f), newAccountListCommand(f)})
}

// accountFlag selects the account that a command works on, by --account or by --namespace.
type accountFlag struct {
	f    *factory
	name string
	all  bool
}

// addAccount adds --account.
func addAccount(f *factory, c *cobra.Command, usage string) *accountFlag {
	a := &accountFlag{f: f}
	c.Flags().StringVar(&a.name, "account", "", usage)
	completeFlag(c, "account", f.accounts())
	return a
}

// addAccounts adds --account and --all-accounts to a command that works on all accounts unless one is given.
func addAccounts(f *factory, c *cobra.Command) *accountFlag {
	a := addAccount(f, c, "Only this account")
	c.Flags().BoolVarP(&a.all, "all-accounts", "A", false, "All accounts, which is the default")
	return a
}

// given returns the account of --account or --namespace; empty if neither is set.
func (a *accountFlag) given() (string, error) {
	namespace := *a.f.config.Namespace
	switch {
	case a.all && a.name+namespace != "":
		return "", usagef("--all-accounts excludes --account and --namespace")
	case a.name != "" && namespace != "" && a.name != namespace:
		return "", usagef("--account %s and --namespace %s name different accounts", a.name, namespace)
	case a.name != "":
		return a.name, nil
	}
	return namespace, nil
}

// one returns the account of --account or --namespace, else the namespace of the kubeconfig's context.
func (a *accountFlag) one() (string, error) {
	account, err := a.given()
	if account != "" || err != nil {
		return account, err
	}
	// The context's namespace is "default" if none is set.
	if account, _, err = a.f.config.ToRawKubeConfigLoader().Namespace(); err != nil || account == "default" {
		return "", usagef("name the account with --account or --namespace, or set a namespace in the kubeconfig's context")
	}
	return account, nil
}
