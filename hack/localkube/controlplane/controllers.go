// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/podgc"
	saccount "k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

const (
	workers = 2
	// jobBatchPeriod is how long the Job controller collects pod changes before it syncs a Job. The default of one
	// second spares large clusters; here it would only delay the end of every Job.
	jobBatchPeriod = 20 * time.Millisecond
	// resync is the resync period of informers.
	resync = 12 * time.Hour
	// gcDiscovery is the interval at which the garbage collector discovers new kinds.
	gcDiscovery = 15 * time.Second
	// finishedPods is the maximum number of finished pods before the oldest are deleted.
	finishedPods = 12500
)

// ControllersConfig is the configuration of the controllers.
type ControllersConfig struct {
	// REST is the administrator's configuration without rate limits.
	REST *rest.Config
	// RootCA is published to every namespace as kube-root-ca.crt.
	RootCA []byte
	// TokenKeyFile is the key that signs service-account tokens in Secrets.
	TokenKeyFile string
}

// StartControllers starts the following controllers of kube-controller-manager: job, garbage collector,
// ttl-after-finished, namespace, serviceaccount, serviceaccount-token, root CA publisher, clusterrole-aggregation, pod
// garbage collector. They stop with ctx.
func StartControllers(ctx context.Context, c ControllersConfig) error {
	cfg := rest.AddUserAgent(rest.CopyConfig(c.REST), "kube-controller-manager")
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	meta, err := metadata.NewForConfig(cfg)
	if err != nil {
		return err
	}
	shared := informers.NewSharedInformerFactory(client, resync)
	metaInformers := metadatainformer.NewSharedInformerFactory(meta, resync)
	started := make(chan struct{})
	log := klog.FromContext(ctx)
	core := shared.Core().V1()
	var run []func()

	job.SyncJobBatchPeriod = jobBatchPeriod
	jobs, err := job.NewController(ctx, client, core.Pods(), shared.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return fmt.Errorf("job controller: %w", err)
	}
	run = append(run, func() { jobs.Run(ctx, workers) })

	ttl := ttlafterfinished.New(ctx, shared.Batch().V1().Jobs(), client)
	run = append(run, func() { ttl.Run(ctx, workers) })

	spaces := namespace.NewNamespaceController(ctx, client, meta, client.Discovery().ServerPreferredNamespacedResources,
		core.Namespaces(), resync, corev1.FinalizerKubernetes)
	run = append(run, func() { spaces.Run(ctx, workers) })

	accounts, err := saccount.NewServiceAccountsController(log, core.ServiceAccounts(), core.Namespaces(), client,
		saccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return fmt.Errorf("serviceaccount controller: %w", err)
	}
	run = append(run, func() { accounts.Run(ctx, workers) })

	tokens, err := newTokens(log, c, client, shared)
	if err != nil {
		return err
	}
	run = append(run, func() { tokens.Run(ctx, workers) })

	roots, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, c.RootCA)
	if err != nil {
		return fmt.Errorf("root CA publisher: %w", err)
	}
	run = append(run, func() { roots.Run(ctx, workers) })

	roles := clusterroleaggregation.NewClusterRoleAggregation(shared.Rbac().V1().ClusterRoles(), client.RbacV1())
	run = append(run, func() { roles.Run(ctx, workers) })

	pods := podgc.NewPodGC(ctx, client, core.Pods(), core.Nodes(), finishedPods)
	run = append(run, func() { pods.Run(ctx) })

	cached := memory.NewMemCacheClient(client.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, meta, mapper, garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(shared, metaInformers), started)
	if err != nil {
		return fmt.Errorf("garbage collector: %w", err)
	}
	run = append(run,
		func() { gc.Run(ctx, workers, 30*time.Second) },
		func() { gc.Sync(ctx, client.Discovery(), gcDiscovery) })

	shared.Start(ctx.Done())
	metaInformers.Start(ctx.Done())
	close(started)
	for _, f := range run {
		go f()
	}
	shared.WaitForCacheSync(ctx.Done())
	return ctx.Err()
}

func newTokens(log klog.Logger, c ControllersConfig, client kubernetes.Interface, shared informers.SharedInformerFactory) (*saccount.TokensController, error) {
	raw, err := os.ReadFile(c.TokenKeyFile)
	if err != nil {
		return nil, err
	}
	key, err := keyutil.ParsePrivateKeyPEM(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.TokenKeyFile, err)
	}
	gen, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
	if err != nil {
		return nil, fmt.Errorf("token generator: %w", err)
	}
	t, err := saccount.NewTokensController(log, shared.Core().V1().ServiceAccounts(), shared.Core().V1().Secrets(), client,
		saccount.TokensControllerOptions{TokenGenerator: gen, RootCA: c.RootCA})
	if err != nil {
		return nil, fmt.Errorf("serviceaccount-token controller: %w", err)
	}
	return t, nil
}
