// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/reelops/reelops/api/v1beta1"
)

// ControlPlane is an etcd and a kube-apiserver with the CRDs, and an audit log of every change and of some reads.
type ControlPlane struct {
	// Config of the administrator, without a client-side rate limit. Kubeconfig is the path of the same as a file.
	Config     *rest.Config
	Kubeconfig string
	// Client reads and writes without a cache.
	Client client.Client

	env   *envtest.Environment
	audit string
}

// policy of the audit log: completed changes, and the reads in some namespaces.
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
%s- level: None
`

// readRule is the rule of the policy for the reads in namespaces.
const readRule = `- level: Metadata
  verbs: [get, list]
  namespaces: [%s]
`

// policyOf returns the policy whose audit log has the reads in some namespaces. A rule without namespaces would apply
// to all.
func policyOf(reads []string) string {
	if len(reads) == 0 {
		return fmt.Sprintf(policy, "")
	}
	return fmt.Sprintf(policy, fmt.Sprintf(readRule, strings.Join(reads, ", ")))
}

// Options configure a control plane.
type Options struct {
	// Bin is the directory of the programs, Folder that of all other files.
	Bin, Folder string
	// Reads are namespaces whose reads are in the audit log.
	Reads []string
	// CompactEvery is the interval at which kube-apiserver compacts etcd; 0 is its default of 5 minutes.
	CompactEvery time.Duration
}

// StartControlPlane starts etcd and kube-apiserver. The caller must call Stop.
func StartControlPlane(o Options) (*ControlPlane, error) {
	bin, err := filepath.Abs(o.Bin)
	if err != nil {
		return nil, err
	}
	rules := filepath.Join(o.Folder, "audit-policy.yaml")
	if err := os.WriteFile(rules, []byte(policyOf(o.Reads)), 0o600); err != nil {
		return nil, err
	}
	c := &ControlPlane{audit: filepath.Join(o.Folder, "audit.log"), Kubeconfig: filepath.Join(o.Folder, "kubeconfig")}
	c.env = &envtest.Environment{
		BinaryAssetsDirectory: bin, CRDDirectoryPaths: []string{filepath.Join(root(), "config", "crd", "bases")}, ErrorIfCRDPathMissing: true,
	}
	flags := c.env.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", rules).Set("audit-log-path", c.audit).
		Set("audit-log-maxsize", "10000") // megabytes; the log is read as one file
	if o.CompactEvery > 0 {
		flags.Set("etcd-compaction-interval", o.CompactEvery.String())
	}
	if c.Config, err = c.env.Start(); err != nil {
		return nil, fmt.Errorf("starting etcd and kube-apiserver: %w", err)
	}
	c.Config.QPS = -1
	scheme := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, c.giveUp(err)
		}
	}
	if c.Client, err = client.New(c.Config, client.Options{Scheme: scheme}); err != nil {
		return nil, c.giveUp(err)
	}
	if err := clientcmd.WriteToFile(kubeconfig(c.Config), c.Kubeconfig); err != nil {
		return nil, c.giveUp(err)
	}
	return c, nil
}

// EtcdBytes returns the size of the data that etcd has in use, after compaction of old revisions.
func (c *ControlPlane) EtcdBytes(ctx context.Context) (int64, error) {
	url := c.env.ControlPlane.Etcd.URL.JoinPath("metrics").String()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	const name = "etcd_mvcc_db_total_size_in_use_in_bytes "
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name); ok {
			n, err := strconv.ParseFloat(value, 64)
			return int64(n), err
		}
	}
	return 0, fmt.Errorf("%s has no metric %s", url, name)
}

// Stop stops the programs.
func (c *ControlPlane) Stop() error { return c.env.Stop() }

func (c *ControlPlane) giveUp(err error) error {
	_ = c.Stop()
	return err
}

func kubeconfig(r *rest.Config) clientcmdapi.Config {
	out := *clientcmdapi.NewConfig()
	out.Clusters["local"] = &clientcmdapi.Cluster{Server: r.Host, CertificateAuthorityData: r.CAData}
	out.AuthInfos["local"] = &clientcmdapi.AuthInfo{ClientCertificateData: r.CertData, ClientKeyData: r.KeyData}
	out.Contexts["local"] = &clientcmdapi.Context{Cluster: "local", AuthInfo: "local"}
	out.CurrentContext = "local"
	return out
}

// root returns the top directory of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
}
