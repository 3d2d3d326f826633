// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/reelops/reelops/hack/localkube/pki"
)

// makeIdentities creates the certificates of all components, and a kubeconfig for each client of the API server.
func (n *Node) makeIdentities(now time.Time) error {
	store, err := pki.Open(n.path("pki"), now)
	if err != nil {
		return err
	}
	ca, err := store.Authority("ca")
	if err != nil {
		return err
	}
	etcdCA, err := store.Authority("etcd-ca")
	if err != nil {
		return err
	}
	if _, err := store.SigningKey("service-accounts"); err != nil {
		return err
	}
	address := n.Place.Node().Addr().String()
	for _, l := range []struct {
		name string
		ca   *pki.Pair
		want pki.Leaf
	}{
		{"apiserver", ca, pki.Leaf{Name: "kube-apiserver", Server: true, Hosts: []string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
			"localhost", "127.0.0.1", address, n.Place.API().String(),
		}}},
		{"apiserver-to-node", ca, pki.Leaf{Name: "kube-apiserver-kubelet-client", Groups: []string{"system:masters"}, Client: true}},
		{"node", ca, pki.Leaf{Name: "system:node:" + n.Node, Server: true, Hosts: []string{n.Node, address}}},
		{"etcd", etcdCA, pki.Leaf{Name: "etcd", Server: true, Client: true, Hosts: []string{"localhost", "127.0.0.1"}}},
		{"apiserver-to-etcd", etcdCA, pki.Leaf{Name: "kube-apiserver", Client: true}},
	} {
		if _, err := store.Leaf(l.name, l.ca, l.want); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		file   string
		name   string
		groups []string
	}{
		{"kubeconfig", "realnode-admin", []string{"system:masters"}},
		{"etc/kube-controller-manager.kubeconfig", "system:kube-controller-manager", nil},
		{"etc/kube-scheduler.kubeconfig", "system:kube-scheduler", nil},
		{"etc/kube-proxy.kubeconfig", "system:kube-proxy", nil},
		{"etc/kubelet.kubeconfig", "system:node:" + n.Node, []string{"system:nodes"}},
	} {
		pair, err := store.Issue(ca, pki.Leaf{Name: c.name, Groups: c.groups, Client: true})
		if err != nil {
			return err
		}
		raw, err := n.kubeconfig(c.name, ca, pair)
		if err != nil {
			return err
		}
		if err := os.WriteFile(n.path(c.file), raw, 0o600); err != nil {
			return fmt.Errorf("writing %s: %w", c.file, err)
		}
	}
	return nil
}

func (n *Node) server() string { return "https://" + n.Place.Node().Addr().String() + ":6443" }

func (n *Node) kubeconfig(user string, ca, client *pki.Pair) ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters["realnode"] = &clientcmdapi.Cluster{Server: n.server(), CertificateAuthorityData: ca.CertPEM}
	c.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: client.CertPEM, ClientKeyData: client.KeyPEM}
	c.Contexts["realnode"] = &clientcmdapi.Context{Cluster: "realnode", AuthInfo: user}
	c.CurrentContext = "realnode"
	return clientcmd.Write(*c)
}
