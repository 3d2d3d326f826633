// SPDX-License-Identifier: Apache-2.0

// Package testkit contains shared test helpers: a real API server with the CRDs, and initial objects.
// Production code must not import it.
package testkit

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit/need"
)

// Scheme returns a scheme with Kubernetes' types and ours.
func Scheme() *kruntime.Scheme {
	s := kruntime.NewScheme()
	for _, add := range []func(*kruntime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // the types of one program never conflict
		}
	}
	return s
}

// envAssets is the environment variable with the directory of etcd and kube-apiserver. noAssets is the error if it is
// not set.
const (
	envAssets = "KUBEBUILDER_ASSETS"
	noAssets  = envAssets + " names no folder with etcd and kube-apiserver: run the tests with `make test`"
)

// startTimeout bounds the start of etcd and the start of kube-apiserver. On an idle machine both need a few seconds.
const startTimeout = 3 * time.Minute

// garbagePercent is GOGC of etcd, kube-apiserver and the test process. With the default of 100, a quarter of the
// processor time of kube-apiserver is garbage collection.
const garbagePercent = 400

// Cluster is a real etcd and kube-apiserver with the CRDs installed, from the programs in $KUBEBUILDER_ASSETS.
type Cluster struct {
	Config *rest.Config
	Client client.Client // reads and writes without a cache

	env *envtest.Environment
	dir string // the files of the programs
}

// StartCluster starts a cluster with the CRDs of this tree. The caller must call Stop.
func StartCluster() (*Cluster, error) { return startCluster(filepath.Join("config", "crd", "bases")) }

// StartRelease starts a cluster with the CRDs of a release, such as v0.1.0. The caller must call Stop.
func StartRelease(version string) (*Cluster, error) {
	return startCluster(filepath.Join("config", "crd", "releases", version))
}

// UpgradeKinds replaces the CRDs in the cluster with those of this tree.
func (c *Cluster) UpgradeKinds() error {
	_, err := envtest.InstallCRDs(c.Config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(root(), "config", "crd", "bases")}, ErrorIfPathMissing: true})
	return err
}

func startCluster(kinds string) (*Cluster, error) {
	if os.Getenv(envAssets) == "" {
		return nil, errors.New(noAssets)
	}
	debug.SetGCPercent(garbagePercent)
	dir, err := os.MkdirTemp("", "reelops-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, env: environment(filepath.Join(dir, "etcd"))}
	if err := c.start(filepath.Join(root(), kinds)); err != nil {
		return nil, errors.Join(err, c.Stop()) // Start leaves processes running if it fails
	}
	return c, nil
}

// environment returns the settings of a cluster that has its data in a directory.
func environment(data string) *envtest.Environment {
	env := &envtest.Environment{ControlPlaneStartTimeout: startTimeout}
	env.ControlPlane.Etcd = &envtest.Etcd{DataDir: data}
	return env
}

// start starts the programs with a copy of the prepared data.
func (c *Cluster) start(kinds string) error {
	prepared, err := preparedData(kinds)
	if err != nil {
		return err
	}
	if err := os.CopyFS(c.env.ControlPlane.Etcd.DataDir, os.DirFS(prepared)); err != nil {
		return err
	}
	tokens, token := filepath.Join(c.dir, "tokens.csv"), rand.Text()
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters"), 0o600); err != nil {
		return err
	}
	c.env.ControlPlane.GetAPIServer().Configure().Set("token-auth-file", tokens)
	if c.Config, err = startWith("GOGC", strconv.Itoa(garbagePercent), c.env); err != nil {
		return err
	}
	// kube-apiserver verifies a client certificate again for each request, which takes 6 % of its processor time.
	c.Config.CertData, c.Config.KeyData, c.Config.BearerToken = nil, nil, token
	c.Config.QPS, c.Config.Burst = 1000, 1000
	if c.Client, err = client.New(c.Config, client.Options{Scheme: Scheme()}); err != nil {
		return err
	}
	return c.awaitKinds(kinds)
}

// startWith starts the programs of an environment with a variable, and then restores its value in this process.
func startWith(name, value string, env *envtest.Environment) (*rest.Config, error) {
	before, found := os.LookupEnv(name)
	if err := os.Setenv(name, value); err != nil {
		return nil, err
	}
	defer func() {
		if found {
			_ = os.Setenv(name, before)
		} else {
			_ = os.Unsetenv(name)
		}
	}()
	return env.Start()
}

// AddUser creates a user with a client certificate.
func (c *Cluster) AddUser(name string, groups ...string) (*envtest.AuthenticatedUser, error) {
	return c.env.AddUser(envtest.User{Name: name, Groups: groups}, nil)
}

// watching returns another client, which can also watch. It shares the scheme and the discovered kinds with c.Client:
// they are most of the work of a new client.
func (c *Cluster) watching() (client.WithWatch, error) {
	return client.NewWithWatch(c.Config, client.Options{Scheme: c.Client.Scheme(), Mapper: c.Client.RESTMapper()})
}

// Kubeconfig returns the content of an administrator's kubeconfig.
func (c *Cluster) Kubeconfig() []byte { return c.env.KubeConfig }

// Stop stops the cluster and deletes its data.
func (c *Cluster) Stop() error { return errors.Join(c.env.Stop(), os.RemoveAll(c.dir)) }

// Start starts a cluster for one test and stops it when the test ends. It calls NeedCluster.
func Start(t testing.TB) *Cluster {
	t.Helper()
	NeedCluster(t)
	c, err := StartCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop() })
	return c
}

// NeedCluster ends a test that needs etcd and kube-apiserver when $KUBEBUILDER_ASSETS is not set. It calls
// need.Missing.
func NeedCluster(t testing.TB) {
	t.Helper()
	if os.Getenv(envAssets) == "" {
		need.Missing(t, noAssets)
	}
}

// root returns the top directory of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Namespace returns a Namespace object.
func Namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// Account returns an account without a limit.
func Account(namespace string) *v1beta1.Account {
	return &v1beta1.Account{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: v1beta1.AccountName},
		Spec:       v1beta1.AccountSpec{Email: "owner@example.com"},
	}
}

// Brand returns a brand without settings.
func Brand(namespace, name string) *v1beta1.Brand {
	return &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Slideshow returns a slideshow with a context.
func Slideshow(namespace, name, brand, context string) *v1beta1.Slideshow {
	return &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: brand}, Context: context},
	}
}

// HandWritten returns a slideshow whose slides are given in the spec.
func HandWritten(namespace, name, brand string, headings ...string) *v1beta1.Slideshow {
	s := Slideshow(namespace, name, brand, "")
	for _, h := range headings {
		s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{Heading: h})
	}
	return s
}
