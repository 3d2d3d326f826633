package main

import (
	_ "go.etcd.io/etcd/server/v3/embed"
	_ "go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/kubectl/pkg/cmd"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	_ "k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	_ "k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	_ "k8s.io/kubernetes/pkg/controller/garbagecollector"
	_ "k8s.io/kubernetes/pkg/controller/job"
	_ "k8s.io/kubernetes/pkg/controller/namespace"
	_ "k8s.io/kubernetes/pkg/controller/podgc"
	_ "k8s.io/kubernetes/pkg/controller/serviceaccount"
	_ "k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	_ "k8s.io/kubernetes/pkg/scheduler"
)

func main() {}
