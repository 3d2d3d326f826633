// SPDX-License-Identifier: Apache-2.0

// Command localkube is a complete Kubernetes for one machine in one process: etcd, kube-apiserver, kube-scheduler, the
// controllers that Jobs need, and a node that runs containers as processes. If it is called by the name etcd,
// kube-apiserver or kubectl, it runs that program. README.md has the details.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/component-base/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/reelops/reelops/hack/localkube/cluster"
	"github.com/reelops/reelops/hack/localkube/node"
	"github.com/reelops/reelops/hack/localkube/sandbox"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == sandbox.InitArg {
		sandbox.Init()
	}
	if len(os.Args) > 1 && os.Args[1] == sandbox.EndArg {
		sandbox.End()
	}
	switch filepath.Base(os.Args[0]) {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kubectl":
		_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	default:
		os.Exit(localkube(os.Args[1:]))
	}
}

func localkube(args []string) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "localkube:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A second signal kills the process.
	context.AfterFunc(ctx, stop)
	o.Say("starting Kubernetes %s in %s", version.Get().GitVersion, o.DataDir)
	if err := cluster.Run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "localkube:", err)
		return 1
	}
	o.Say("stopped")
	return 0
}

func parse(args []string) (cluster.Options, error) {
	o := cluster.Options{
		Images: node.Images{}, Isolation: sandbox.Namespaces, PathVariables: node.PathVariables{},
		Say: func(format string, args ...any) { fmt.Printf("localkube: "+format+"\n", args...) },
	}
	f := flag.NewFlagSet("localkube", flag.ContinueOnError)
	f.StringVar(&o.DataDir, "data-dir", "", "`folder` for all state; created if missing (required)")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "`file` to write the administrator's kubeconfig to (default DATA_DIR/kubeconfig)")
	f.Func("identity", "`NAME=FILE`: also write a kubeconfig for this user, e.g. system:serviceaccount:NAMESPACE:NAME (repeatable)", func(v string) error {
		id, err := cluster.ParseIdentity(v)
		o.Identities = append(o.Identities, id)
		return err
	})
	f.Func("image", "`NAME=PROGRAM`: containers of image NAME run this program (repeatable)", o.Images.Add)
	f.Func("isolation", "isolation of containers: namespaces (default), which requires CAP_SYS_ADMIN; users, which is weaker; or auto", func(v string) (err error) {
		o.Isolation, err = sandbox.ParseIsolation(v)
		return err
	})
	f.Func("path-variable", "`PATH=NAME`: with isolation by users, the variable NAME of a container has the path of the files that are otherwise mounted at PATH (repeatable)", o.PathVariables.Add)
	f.StringVar(&o.AuditLog, "audit-log", "", "audit log `file`, one JSON line per request without bodies")
	f.StringVar(&o.ReadyFile, "ready-file", "", "`file` that exists while everything is ready")
	f.BoolVar(&o.NoFsync, "unsafe-no-fsync", false, "do not sync to disk; a power failure may lose data (for tests)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.DataDir == "" {
		return o, errors.New("--data-dir is required")
	}
	if o.Kubeconfig == "" {
		o.Kubeconfig = filepath.Join(o.DataDir, "kubeconfig")
	}
	return o, nil
}
