// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestErrors_ClusterWithoutReelops(t *testing.T) {
	for name, err := range map[string]error{
		"discovery lists no kinds":        &meta.NoKindMatchError{GroupKind: v1beta1.GroupVersion.WithKind("Account").GroupKind()},
		"cached discovery lists no kinds": apierrors.NewGenericServerResponse(404, "get", v1beta1.GroupVersion.WithResource("accounts").GroupResource(), "", "404 page not found", 0, true),
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.WithWatch = interceptor.NewClient(c.WithWatch, interceptor.Funcs{
				List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return err },
			})
			c.refuse("the cluster has no Reelops: its kinds are not installed", "account", "list")
		})
	}
}

func TestErrors_Interrupted(t *testing.T) {
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	f := newFactory(streams)
	ctx, cancel := context.WithCancel(t.Context())
	f.dial = func(*factory) (client.Client, error) {
		cancel()
		return nil, ctx.Err()
	}
	root := newRootCommand(f)
	root.SetArgs([]string{"status"})
	if err := execute(ctx, root); exitCode(err) != exitInterrupted {
		t.Errorf("exit code %d of %v, want %d", exitCode(err), err, exitInterrupted)
	}
}

func TestErrors_NoClusterIsSelected(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	root := newRootCommand(newFactory(streams))
	root.SetArgs([]string{"status"})
	if err := execute(t.Context(), root); exitCode(err) != exitFailed || !strings.Contains(err.Error(), "no cluster is selected") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
}

func TestRequestsAreNotThrottled(t *testing.T) {
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	f := newFactory(streams)
	*f.config.APIServer = "https://cluster.example"
	c, err := f.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	if c.QPS >= 0 || c.RateLimiter != nil {
		t.Errorf("got %v requests per second, limiter %v: the client must not throttle", c.QPS, c.RateLimiter)
	}
}
