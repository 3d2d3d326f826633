// SPDX-License-Identifier: Apache-2.0

// Command reelops is the admin's tool: accounts, brands, API keys, music and the approval of posts. Linked as kubectl-reelops it is `kubectl reelops`.
// It talks to the cluster by the usual kubeconfig rules and needs no running Reelops.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/ids"
	"github.com/reelops/reelops/internal/version"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(os.Stdout, dial).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// admin is what every command works with.
type admin struct {
	kubeconfig, context, systemNamespace, output string

	out io.Writer
	// dial connects to the cluster that the flags name.
	dial   func(a *admin) (client.Client, error)
	client client.Client
	ids    *ids.Allocator
}

func command(out io.Writer, dial func(*admin) (client.Client, error)) *cobra.Command {
	a := &admin{out: out, dial: dial}
	name := "reelops"
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl-") {
		name = "kubectl reelops"
	}
	root := &cobra.Command{
		Use: "reelops", Short: "Accounts, brands, API keys, music and approvals of Reelops", SilenceUsage: true, SilenceErrors: true,
		Version:           version.Version,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: name},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.connect(cmd) },
	}
	f := root.PersistentFlags()
	f.StringVar(&a.kubeconfig, "kubeconfig", "", "kubeconfig file; default: $KUBECONFIG, then ~/.kube/config")
	f.StringVar(&a.context, "context", "", "context of the kubeconfig")
	f.StringVar(&a.systemNamespace, "system-namespace", "reelops-system", "namespace of the installation's own objects")
	f.StringVarP(&a.output, "output", "o", "", "json prints one JSON object; default: for people")
	root.AddCommand(a.accountCommand(), a.brandCommand(), a.keyCommand(), a.musicCommand(), a.approveCommand(), a.backupCommand(), a.restoreCommand(), a.statusCommand(), a.doctorCommand(), a.migrateCommand())
	return root
}

// group gathers commands under a word; a word that is none of them is an error, not a page of help.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("there is no command `%s %s`: see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	g.AddCommand(commands...)
	return g
}

func (a *admin) connect(cmd *cobra.Command) (err error) {
	if a.output != "" && a.output != "json" {
		return fmt.Errorf("--output is json or left out, not %q", a.output)
	}
	if cmd.HasSubCommands() || cmd.Name() == "help" || cmd.HasParent() && cmd.Parent().Name() == "completion" {
		return nil
	}
	if a.client, err = a.dial(a); err != nil {
		return err
	}
	// A command needs one id; leasing more would only leave gaps.
	a.ids = ids.New(a.client, a.systemNamespace, ids.BlockSize(1))
	return nil
}

// clusterConfig follows the rules of kubectl: the flag, then KUBECONFIG, then the file in the home folder, then the pod's own account.
func clusterConfig(a *admin) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: a.context}).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("no cluster is named: give --kubeconfig or set KUBECONFIG")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS = -1 // The API server's priority and fairness limits the requests; the client's default is 5 per second.
	return config, nil
}

// dial connects to the cluster.
func dial(a *admin) (client.Client, error) {
	config, err := clusterConfig(a)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the API server limits the rate by Priority and Fairness
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return c, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), v1beta1.AddToScheme(scheme))
}

// print writes one JSON object, or what people read.
func (a *admin) print(object any, forPeople string) error {
	if a.output == "json" {
		return json.NewEncoder(a.out).Encode(object)
	}
	_, err := fmt.Fprintln(a.out, strings.TrimRight(forPeople, "\n"))
	return err
}
