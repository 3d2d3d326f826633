// SPDX-License-Identifier: Apache-2.0

// Command realnode runs a real Kubernetes cluster of one node on a Linux machine without a container engine: kubelet,
// containerd, runc, CNI, kube-proxy, CoreDNS, and the control plane. README.md has the details.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	_ "time/tzdata" // time zones of CronJobs

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"github.com/reelops/reelops/hack/realnode/space"
)

func init() {
	// A space ends with the thread that created it. Keep the main thread for that.
	runtime.LockOSThread()
}

func main() {
	if len(os.Args) < 2 {
		usage()
		os.Exit(2)
	}
	name := os.Args[1]
	if filepath.Base(os.Args[0]) == "kubectl" {
		name = "kubectl"
	} else if components[name] != nil {
		os.Args = os.Args[1:]
	}
	if run := components[name]; run != nil {
		run()
		return
	}
	commands := map[string]func([]string) error{"up": up, "down": down, "load": load, insideArg: inside}
	switch {
	case name == space.InitArg:
		space.Init()
	case commands[name] != nil:
		if err := commands[name](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "realnode:", err)
			os.Exit(1)
		}
	default:
		usage()
		os.Exit(2)
	}
}

func usage() {
	fmt.Fprint(os.Stderr, `realnode runs a Kubernetes cluster with one real node on this machine.

  realnode up   --data-dir DIR    run the cluster until a signal; --detach: in the background
  realnode load --data-dir DIR ARCHIVE...
                                  import image archives
  realnode down --data-dir DIR    stop the cluster and remove all its files; --keep-data: keep the data folder
  realnode kubectl ...            run kubectl (KUBECONFIG=DIR/kubeconfig)
`)
}

// components are the programs that this binary contains, by the name under which it is called.
var components = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"kube-controller-manager": func() { os.Exit(cli.Run(controllers.NewControllerManagerCommand())) },
	"kube-scheduler":          func() { os.Exit(cli.Run(scheduler.NewSchedulerCommand())) },
	"kubelet":                 func() { os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background()))) },
	"kube-proxy":              func() { os.Exit(cli.Run(proxy.NewProxyCommand())) },
	"kubectl": func() {
		_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	},
}
