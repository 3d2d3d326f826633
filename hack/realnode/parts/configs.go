// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"
)

// Paths inside the space.
const (
	runtimeSocket = "/run/realnode/containerd.sock"
	cniPrograms   = "/usr/lib/cni" // the folder of Debian's package
)

// files are the configuration files of the node's programs. They contain only settings that differ from the defaults.
var files = map[string]string{
	"containerd.toml": `version = 2
root = "{{.Home}}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.tracing", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "` + runtimeSocket + `"
[plugins."io.containerd.internal.v1.opt"]
  path = "{{.Home}}/var/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + PauseImage + `"
  # Without the permission to lower the OOM score, no pod would start.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    # Images were imported from archives and cannot be pulled again, so their layers are kept.
    discard_unpacked_layers = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{{.Home}}/cni"
    conf_dir = "{{.Home}}/etc/cni"
`,
	// The plugins that run before a pod's first packet: its link, then its network policies.
	"cni/10-realnode.conflist": `{"cniVersion": "0.4.0", "name": "realnode", "plugins": [
  {"type": "ptp", "mtu": 1500, "ipam": {"type": "host-local", "dataDir": "/run/cni-addresses",
    "ranges": [[{"subnet": "{{.Place.Pods}}"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "realnode-policy"}
]}
`,
	"kubelet.yaml": `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: {{.Home}}/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: {{.Home}}/pki/node.crt
tlsPrivateKeyFile: {{.Home}}/pki/node.key
containerRuntimeEndpoint: unix://` + runtimeSocket + `
cgroupDriver: cgroupfs
cgroupRoot: /{{.Place.Cgroup}}
failCgroupV1: false
failSwapOn: false
clusterDNS: ["{{.Place.DNS}}"]
clusterDomain: cluster.local
resolvConf: {{.Home}}/etc/resolv.conf
makeIPTablesUtilChains: false
# Other programs of the machine use the same disk.
evictionHard: {memory.available: 100Mi, nodefs.available: 1Gi, imagefs.available: 1Gi}
imageGCHighThresholdPercent: 100
imageMinimumGCAge: 24h
maxPods: 200
podPidsLimit: 4096
`,
	"kube-proxy.yaml": `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: {{.Home}}/etc/kube-proxy.kubeconfig}
mode: nftables
clusterCIDR: {{.Place.Pods}}
hostnameOverride: {{.Node}}
metricsBindAddress: 127.0.0.1:10249
# These settings apply to the whole machine, not to a network namespace.
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`,
	// Pods with dnsPolicy Default have no name servers.
	"resolv.conf": "# no servers\n",
}

// writeConfigs executes the templates and writes them to HOME/etc.
func (n *Node) writeConfigs() error {
	for name, text := range files {
		t, err := template.New(name).Option("missingkey=error").Parse(text)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, n); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		file := n.path("etc", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	// containerd reads plugins from one folder only.
	for _, name := range []string{"ptp", "host-local", "loopback"} {
		if err := os.Symlink(filepath.Join(cniPrograms, name), n.path("cni", name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
