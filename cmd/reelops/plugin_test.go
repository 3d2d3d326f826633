// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// asProgram is the environment variable with which the test binary runs as the program itself.
const asProgram = "REELOPS_TEST_AS_PROGRAM"

var shared testkit.Shared

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	shared.Main(m)
}

// plugin is the program in the PATH of a user with a real cluster.
type plugin struct {
	client.Client
	bin, kubeconfig string
	env             []string
}

// installed returns the plugin as `make build` installs it: kubectl-reelops and kubectl_complete-reelops in one folder.
func installed(t *testing.T) *plugin {
	t.Helper()
	cluster := shared.Start(t)
	if err := cluster.Client.Create(t.Context(), testkit.Namespace(system)); !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
	bin, home := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	must(t, err)
	must(t, os.Symlink(self, filepath.Join(bin, "kubectl-reelops")))
	must(t, os.Symlink(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), filepath.Join(bin, "kubectl")))
	script, err := filepath.Abs("kubectl_complete-reelops")
	must(t, err)
	must(t, os.Symlink(script, filepath.Join(bin, "kubectl_complete-reelops")))

	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: cluster.Config.Host, CertificateAuthorityData: cluster.Config.CAData}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: cluster.Config.BearerToken}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "admin"}
	config.Contexts["tenant"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "admin", Namespace: "tenant"}
	config.CurrentContext = "test"
	p := &plugin{Client: cluster.Client, bin: bin, kubeconfig: filepath.Join(home, "kubeconfig")}
	must(t, clientcmd.WriteToFile(*config, p.kubeconfig))
	p.env = append(os.Environ(), asProgram+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "KUBECONFIG="+p.kubeconfig, "REELOPS_BLOB_URL=")
	return p
}

// run runs the program and returns its output and its exit code.
func (p *plugin) run(t *testing.T, line ...string) (out, errOut string, code int) {
	t.Helper()
	return p.exec(t, "kubectl-reelops", line...)
}

func (p *plugin) exec(t *testing.T, name string, line ...string) (out, errOut string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.bin, name), line...)
	var stdout, stderr bytes.Buffer
	cmd.Args[0], cmd.Env, cmd.Stdout, cmd.Stderr = name, p.env, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// ok runs a command line that must succeed, and returns its output.
func (p *plugin) ok(t *testing.T, line ...string) string {
	t.Helper()
	out, errOut, code := p.run(t, line...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", line, code, errOut)
	}
	return out
}

// has creates objects in the cluster with their status.
func (p *plugin) has(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		status := o.DeepCopyObject().(client.Object)
		must(t, p.Create(t.Context(), o))
		switch status.(type) {
		case *v1beta1.PostBatch, *v1beta1.Post, *v1beta1.SocialAccount:
			status.SetResourceVersion(o.GetResourceVersion())
			status.SetUID(o.GetUID())
			must(t, p.Status().Update(t.Context(), status))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
