// SPDX-License-Identifier: Apache-2.0

package parts

// program is one process of the node.
type program struct {
	name string
	// file is the program; empty means this program under the name of a component.
	file string
	args []string
}

// The following functions return the components with their usual arguments.
func (n *Node) containerd() program {
	return program{"containerd", "containerd", []string{"--config=" + n.path("etc/containerd.toml"), "--log-level=warn"}}
}

func (n *Node) etcd() program {
	args := []string{
		"--name=realnode", "--data-dir=" + n.path("etcd"),
		"--listen-client-urls=https://127.0.0.1:2379", "--advertise-client-urls=https://127.0.0.1:2379",
		"--listen-peer-urls=https://127.0.0.1:2380", "--initial-advertise-peer-urls=https://127.0.0.1:2380",
		"--initial-cluster=realnode=https://127.0.0.1:2380",
		"--cert-file=" + n.path("pki/etcd.crt"), "--key-file=" + n.path("pki/etcd.key"),
		"--trusted-ca-file=" + n.path("pki/etcd-ca.crt"), "--client-cert-auth",
		"--peer-cert-file=" + n.path("pki/etcd.crt"), "--peer-key-file=" + n.path("pki/etcd.key"),
		"--peer-trusted-ca-file=" + n.path("pki/etcd-ca.crt"), "--peer-client-cert-auth",
		"--log-level=warn",
	}
	if n.NoFsync {
		args = append(args, "--unsafe-no-fsync")
	}
	return program{"etcd", "", args}
}

func (n *Node) apiServer() program {
	args := []string{
		"--advertise-address=" + n.Place.Node().Addr().String(),
		"--etcd-servers=https://127.0.0.1:2379",
		"--etcd-cafile=" + n.path("pki/etcd-ca.crt"),
		"--etcd-certfile=" + n.path("pki/apiserver-to-etcd.crt"),
		"--etcd-keyfile=" + n.path("pki/apiserver-to-etcd.key"),
		"--client-ca-file=" + n.path("pki/ca.crt"),
		"--tls-cert-file=" + n.path("pki/apiserver.crt"),
		"--tls-private-key-file=" + n.path("pki/apiserver.key"),
		"--kubelet-certificate-authority=" + n.path("pki/ca.crt"),
		"--kubelet-client-certificate=" + n.path("pki/apiserver-to-node.crt"),
		"--kubelet-client-key=" + n.path("pki/apiserver-to-node.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-key-file=" + n.path("pki/service-accounts.key"),
		"--service-account-signing-key-file=" + n.path("pki/service-accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-cluster-ip-range=" + n.Place.Services().String(),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--profiling=false",
	}
	if n.Audit {
		args = append(args, "--audit-policy-file="+n.path("etc/audit.yaml"), "--audit-log-path="+n.path("logs/audit.log"),
			"--audit-log-maxsize=200", "--audit-log-maxbackup=5")
	}
	return program{"kube-apiserver", "", args}
}

func (n *Node) controllerManager() program {
	return program{"kube-controller-manager", "", []string{
		"--kubeconfig=" + n.path("etc/kube-controller-manager.kubeconfig"),
		"--use-service-account-credentials",
		"--service-account-private-key-file=" + n.path("pki/service-accounts.key"),
		"--root-ca-file=" + n.path("pki/ca.crt"),
		"--leader-elect=false", // there is only one instance
		"--bind-address=127.0.0.1",
		"--profiling=false",
	}}
}

func (n *Node) scheduler() program {
	return program{"kube-scheduler", "", []string{
		"--kubeconfig=" + n.path("etc/kube-scheduler.kubeconfig"),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		"--profiling=false",
	}}
}

func (n *Node) kubelet() program {
	return program{"kubelet", "", []string{
		"--config=" + n.path("etc/kubelet.yaml"),
		"--kubeconfig=" + n.path("etc/kubelet.kubeconfig"),
		"--hostname-override=" + n.Node,
		"--node-ip=" + n.Place.Node().Addr().String(),
	}}
}

func (n *Node) proxy() program {
	return program{"kube-proxy", "", []string{"--config=" + n.path("etc/kube-proxy.yaml")}}
}
