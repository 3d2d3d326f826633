// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/reelops/reelops/hack/localkube/pki"
)

// lock locks the folder for this process. The kernel releases the lock when the process ends.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(f.Name())
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("the data folder %s is in use by another localkube (process %s); stop it or choose another --data-dir", dir, strings.TrimSpace(string(holder)))
		}
		return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	return f, err
}

// ports are stored and reused by the next start, so that a kubeconfig stays valid.
type ports struct {
	API  int `json:"api"`
	Etcd int `json:"etcd"`
	Peer int `json:"peer"`
}

// choosePorts returns an open listener for the API server, and two ports for etcd. It reuses the ports of the last
// start if they are free.
func choosePorts(dir string) (net.Listener, ports, error) {
	file := filepath.Join(dir, "ports.json")
	var p ports
	if raw, err := os.ReadFile(file); err == nil {
		_ = json.Unmarshal(raw, &p) // if the file is invalid, choose new ports
	}
	var open []net.Listener
	defer func() {
		for _, l := range open {
			l.Close()
		}
	}()
	take := func(port *int) (net.Listener, error) {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)))
		if err != nil && *port != 0 {
			l, err = net.Listen("tcp", "127.0.0.1:0")
		}
		if err != nil {
			return nil, err
		}
		*port = l.Addr().(*net.TCPAddr).Port
		return l, nil
	}
	api, err := take(&p.API)
	if err != nil {
		return nil, p, fmt.Errorf("finding a free port: %w", err)
	}
	for _, port := range []*int{&p.Etcd, &p.Peer} {
		l, err := take(port)
		if err != nil {
			api.Close()
			return nil, p, fmt.Errorf("finding a free port: %w", err)
		}
		open = append(open, l)
	}
	raw, err := json.Marshal(p)
	if err == nil {
		err = replaceFile(file, raw)
	}
	return api, p, err
}

// replaceFile replaces a file atomically, with mode 0600.
func replaceFile(file string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(raw)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// kubeconfig returns a kubeconfig with one user and embedded certificates.
func kubeconfig(server, user string, ca, client *pki.Pair) ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters["localkube"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca.CertPEM}
	c.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: client.CertPEM, ClientKeyData: client.KeyPEM}
	c.Contexts["localkube"] = &clientcmdapi.Context{Cluster: "localkube", AuthInfo: user}
	c.CurrentContext = "localkube"
	return clientcmd.Write(*c)
}

// restConfig returns a client configuration without a client-side rate limit: all clients use this server, and the
// server has its own priorities.
func restConfig(server string, ca, client *pki.Pair) *rest.Config {
	return &rest.Config{
		Host: server, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca.CertPEM, CertData: client.CertPEM, KeyData: client.KeyPEM},
		ContentConfig:   rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf", AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json"},
	}
}

// Identity is a user with its own kubeconfig.
type Identity struct{ Name, File string }

// ParseIdentity parses NAME=FILE.
func ParseIdentity(arg string) (Identity, error) {
	name, file, ok := strings.Cut(arg, "=")
	if !ok || name == "" || file == "" {
		return Identity{}, fmt.Errorf("%q is not NAME=FILE", arg)
	}
	if strings.HasPrefix(name, "system:serviceaccount:") && len(strings.Split(name, ":")) != 4 {
		return Identity{}, fmt.Errorf("%q is not system:serviceaccount:NAMESPACE:NAME", name)
	}
	return Identity{name, file}, nil
}

// groups returns the groups of the user, without system:authenticated, which the server adds.
func (i Identity) groups() []string {
	parts := strings.Split(i.Name, ":")
	if len(parts) == 4 && strings.HasPrefix(i.Name, "system:serviceaccount:") {
		return []string{"system:serviceaccounts", "system:serviceaccounts:" + parts[2]}
	}
	return nil
}
