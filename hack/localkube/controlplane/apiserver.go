// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/reelops/reelops/hack/localkube/pki"
)

// APIServerConfig is the configuration of kube-apiserver.
type APIServerConfig struct {
	// Listener is the loopback listener of the server. The server closes it.
	Listener net.Listener
	// EtcdURL is the URL of etcd. EtcdAuthority and EtcdClient are the authority and the client pair for it.
	EtcdURL                   string
	EtcdAuthority, EtcdClient *pki.Pair
	// Authority signs the serving pair and the certificates of all API clients.
	Authority, Serving *pki.Pair
	// NodeAuthority signs the node's serving pair. NodeClient is the API server's client pair for the node.
	NodeAuthority, NodeClient *pki.Pair
	// TokenKeyFile signs service-account tokens.
	TokenKeyFile string
	// AuditLog and AuditPolicy are files; both empty means no audit.
	AuditLog, AuditPolicy string
}

// args returns the flags of kube-apiserver.
func (c APIServerConfig) args() []string {
	a := []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--etcd-servers=" + c.EtcdURL,
		"--etcd-cafile=" + c.EtcdAuthority.CertFile,
		"--etcd-certfile=" + c.EtcdClient.CertFile,
		"--etcd-keyfile=" + c.EtcdClient.KeyFile,
		"--client-ca-file=" + c.Authority.CertFile,
		"--tls-cert-file=" + c.Serving.CertFile,
		"--tls-private-key-file=" + c.Serving.KeyFile,
		"--kubelet-certificate-authority=" + c.NodeAuthority.CertFile,
		"--kubelet-client-certificate=" + c.NodeClient.CertFile,
		"--kubelet-client-key=" + c.NodeClient.KeyFile,
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-key-file=" + c.TokenKeyFile,
		"--service-account-signing-key-file=" + c.TokenKeyFile,
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		// This plugin taints a new node. Only the node-lifecycle controller, which does not run here, would remove the
		// taint.
		"--disable-admission-plugins=TaintNodesByCondition",
		// A single server needs no leases that identify it among several.
		"--endpoint-reconciler-type=none",
		"--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false",
		"--profiling=false",
	}
	if c.AuditLog != "" {
		a = append(a, "--audit-log-path="+c.AuditLog, "--audit-policy-file="+c.AuditPolicy,
			"--audit-log-maxsize=100", "--audit-log-maxbackup=2")
	}
	return a
}

// StartAPIServer starts the server. The channel receives its result, which is nil after ctx was canceled.
func StartAPIServer(ctx context.Context, c APIServerConfig) (<-chan error, error) {
	opts := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, f := range opts.Flags().FlagSets {
		flags.AddFlagSet(f)
	}
	port := c.Listener.Addr().(*net.TCPAddr).Port
	if err := flags.Parse(append(c.args(), "--secure-port="+strconv.Itoa(port))); err != nil {
		return nil, fmt.Errorf("kube-apiserver flags: %w", err)
	}
	opts.SecureServing.Listener = c.Listener
	if err := opts.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("kube-apiserver feature gates: %w", err)
	}
	completed, err := opts.Complete(ctx)
	if err != nil {
		return nil, fmt.Errorf("kube-apiserver options: %w", err)
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("kube-apiserver options: %w", utilerrors.NewAggregate(errs))
	}
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx, completed) }()
	return done, nil
}
