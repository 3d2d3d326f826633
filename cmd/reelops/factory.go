// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
)

// pageSize is the number of objects in one list request.
const pageSize = 500

// factory holds the data shared by all commands: the streams and the flags that select the cluster and the user. Each
// command has a constructor `newXCommand(f *factory) *cobra.Command` and connects when it runs.
type factory struct {
	genericiooptions.IOStreams
	config          *genericclioptions.ConfigFlags
	systemNamespace string
	// dial returns a client of the cluster. Tests replace it.
	dial func(*factory) (client.Client, error)
}

func newFactory(streams genericiooptions.IOStreams) *factory {
	f := &factory{IOStreams: streams, config: genericclioptions.NewConfigFlags(true), dial: dial}
	// Disable the client's rate limit: the API server's priority and fairness limits requests.
	f.config.WithWrapConfigFn(func(c *rest.Config) *rest.Config {
		c.QPS = -1
		return c
	}).WithDiscoveryQPS(-1).WithWarningPrinter(streams)
	return f
}

// addFlags adds the flags that every command accepts.
func (f *factory) addFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	f.config.AddFlags(flags)
	flags.Lookup("namespace").Usage = "Namespace of the account; the same as --account"
	flags.StringVar(&f.systemNamespace, "system-namespace", "reelops-system", "Namespace of the installation's own objects")
	root.SetGlobalNormalizationFunc(allNamespaces)
}

// checkScope refuses --namespace for a command that does not work on one account.
func (f *factory) checkScope(cmd *cobra.Command) error {
	if cmd.Annotations[wholeInstallation] != "" && *f.config.Namespace != "" {
		return fmt.Errorf("`%s` does not work on one account and accepts no --namespace; --system-namespace names the namespace of the installation", cmd.CommandPath())
	}
	return nil
}

// connect returns the connection to the cluster that the flags select.
func (f *factory) connect() (*admin, error) {
	c, err := f.dial(f)
	if err != nil {
		return nil, err
	}
	// A command needs one id. A larger block would only leave gaps.
	return &admin{client: c, systemNamespace: f.systemNamespace, ids: ids.New(c, f.systemNamespace, ids.BlockSize(1))}, nil
}

// restConfig returns the client configuration from the flags and the kubeconfig.
func (f *factory) restConfig() (*rest.Config, error) {
	config, err := f.config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	raw, err := f.config.ToRawKubeConfigLoader().RawConfig()
	// Without a kubeconfig, cli-runtime selects a server on localhost, which is never intended.
	if err == nil && len(raw.Clusters) == 0 && *f.config.APIServer == "" && config.Host == clientcmd.ClusterDefaults.Server {
		return nil, errors.New("no cluster is selected: set --kubeconfig, KUBECONFIG or --server")
	}
	return config, nil
}

// dial connects to the cluster. Discovery is cached on disk in kubectl's cache.
func dial(f *factory) (client.Client, error) {
	config, err := f.restConfig()
	if err != nil {
		return nil, err
	}
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	mapper, err := f.config.ToRESTMapper()
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return c, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), v1beta1.AddToScheme(scheme))
}

// admin is a connection to a cluster.
type admin struct {
	client          client.Client
	systemNamespace string
	ids             *ids.Allocator
}

// mustExist reads an object and returns notFound if there is none.
func (a *admin) mustExist(ctx context.Context, namespace, name string, into client.Object, notFound error) error {
	err := a.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if apierrors.IsNotFound(err) {
		return notFound
	}
	return err
}

// accountMustExist returns a not-found error if the namespace holds no Account.
func (a *admin) accountMustExist(ctx context.Context, account string) error {
	return a.mustExist(ctx, account, v1beta1.AccountName, &v1beta1.Account{}, notFoundf("there is no account %q: `account list` shows the accounts", account))
}

// brandMustExist returns a not-found error if the account has no such brand.
func (a *admin) brandMustExist(ctx context.Context, account, brand string) error {
	return a.mustExist(ctx, account, brand, &v1beta1.Brand{}, notFoundf("there is no brand %q in the account %q", brand, account))
}

// each calls see for every object of a list, reading it in pages.
func (a *admin) each(ctx context.Context, list client.ObjectList, see func(client.Object), options ...client.ListOption) error {
	for {
		page := append([]client.ListOption{client.Limit(pageSize), client.Continue(list.GetContinue())}, options...)
		if err := a.client.List(ctx, list, page...); err != nil {
			return err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, item := range items {
			see(item.(client.Object))
		}
		if list.GetContinue() == "" {
			return nil
		}
	}
}

// open opens a file, or the standard input for -.
func (f *factory) open(file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(f.In), nil
	}
	return os.Open(file)
}
