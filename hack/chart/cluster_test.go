// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// server is a real API server with the default admission plugins, shared by the tests.
var server struct {
	config     *rest.Config
	kubeconfig string
	client     client.Client
	// crds are the CRDs of Reelops, and those of other projects whose kinds the chart renders.
	crds []*apiextensionsv1.CustomResourceDefinition
}

func TestMain(m *testing.M) {
	fetchAndExit()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		assets = "../../bin"
	}
	assets, err := filepath.Abs(assets)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	crds, err := operatorFiles()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	e := &envtest.Environment{
		BinaryAssetsDirectory: assets, CRDDirectoryPaths: append(crds, configDir+"/crd/bases"), ErrorIfCRDPathMissing: true,
	}
	dir, err := os.MkdirTemp("", "chart")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := start(e, dir); err != nil {
		fmt.Fprintln(os.Stderr, "the API server does not start (`make localkube` builds it):", err)
		return 1
	}
	defer func() { _ = e.Stop() }()
	return m.Run()
}

func start(e *envtest.Environment, dir string) (err error) {
	if server.config, err = e.Start(); err != nil {
		return err
	}
	user, err := e.AddUser(envtest.User{Name: "installer", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	text, err := user.KubeConfig()
	if err != nil {
		return err
	}
	server.crds = e.CRDs
	server.kubeconfig = filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(server.kubeconfig, text, 0o600); err != nil {
		return err
	}
	if server.client, err = client.New(server.config, client.Options{}); err != nil {
		return err
	}
	return server.client.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: system, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}})
}

// fixed are kinds whose objects differ only in labels between values. They are tested once, with the default values.
var fixed = map[string]bool{"CustomResourceDefinition": true}

// TestCluster_AcceptsAllObjects applies the rendered objects of all values as a dry run. It also creates the pods of
// the Deployments in a namespace that enforces the restricted Pod Security Standard.
func TestCluster_AcceptsAllObjects(t *testing.T) {
	all := map[string]map[string]object{}
	for what, values := range installations(t) {
		all["chart, "+what] = render(t, values)
	}
	for _, folder := range []string{"default", "overlays/s3", "overlays/ha", "overlays/trying"} {
		all["kustomize, "+folder] = kustomized(t, folder)
	}
	for what, objects := range all {
		for name, o := range objects {
			kind := text(o, "kind")
			if fixed[kind] && what != "chart, nothing set" {
				continue
			}
			if kind == "Namespace" || text(o, "metadata", "namespace") == "reelops-sandbox" {
				continue
			}
			if err := dryRun(t.Context(), o); err != nil {
				t.Errorf("%s: %s: %v", what, name, err)
			}
			if kind != "Deployment" {
				continue
			}
			if err := server.client.Create(t.Context(), pod(t, o), client.DryRunAll); err != nil {
				t.Errorf("%s: a pod of %s: %v", what, name, err)
			}
		}
	}
}

// dryRun applies an object as a server-side dry run with strict validation: an unknown field is an error.
func dryRun(ctx context.Context, o object) error {
	u := &unstructured.Unstructured{Object: o}
	return server.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.ForceOwnership, client.FieldOwner("test"), client.DryRunAll)
}

// pod returns a pod of a Deployment.
func pod(t *testing.T, o object) *corev1.Pod {
	t.Helper()
	doc, err := json.Marshal(at(o, "spec", "template"))
	if err != nil {
		t.Fatal(err)
	}
	p := &corev1.Pod{}
	if err := json.Unmarshal(doc, p); err != nil {
		t.Fatal(err)
	}
	p.Namespace, p.Name, p.Spec.PriorityClassName = system, text(o, "metadata", "name"), ""
	return p
}

// TestCluster_RejectsInvalidObjects checks that the server rejects a pod that is not restricted, and an unknown
// field.
func TestCluster_RejectsInvalidObjects(t *testing.T) {
	objects := render(t, "")
	deployment := objects["Deployment "+system+"/reelops-manager"]
	p := pod(t, deployment)
	p.Spec.SecurityContext.SeccompProfile = nil
	if err := server.client.Create(t.Context(), p, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("a pod without a seccomp profile: got %v", err)
	}
	containers(deployment)[0]["imagePullPolicies"] = "Always"
	if err := dryRun(t.Context(), deployment); err == nil {
		t.Error("an unknown field is accepted")
	}
}

// get reads an object by its key; nil if it does not exist.
func get(t *testing.T, o object) *unstructured.Unstructured {
	t.Helper()
	u := (&unstructured.Unstructured{Object: o}).DeepCopy()
	switch err := server.client.Get(t.Context(), client.ObjectKeyFromObject(u), u); {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil
	case err != nil:
		t.Fatalf("%s: got %v", id(o), err)
	}
	return u
}
