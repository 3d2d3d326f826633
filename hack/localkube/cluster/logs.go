// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/reelops/reelops/hack/localkube/logfile"
)

// openLogs sends what the components have to say into files of bounded size:
// kubernetes.log for all of Kubernetes, etcd.log for etcd.
func openLogs(dir string) (closeAll func(), etcd io.Writer, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	kube, err := logfile.Create(filepath.Join(dir, "kubernetes.log"), time.Now)
	if err != nil {
		return nil, nil, err
	}
	etcdLog, err := logfile.Create(filepath.Join(dir, "etcd.log"), time.Now)
	if err != nil {
		return nil, nil, errors.Join(err, kube.Close())
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true", "v": "1"} {
		if err := flags.Set(name, value); err != nil {
			return nil, nil, err
		}
	}
	klog.SetOutput(kube)
	log.SetOutput(kube)
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	// A panic in one handler of a server must not end the cluster; it is logged.
	utilruntime.ReallyCrash = false
	return func() {
		klog.Flush()
		klog.SetOutput(io.Discard)
		log.SetOutput(io.Discard)
		kube.Close()
		etcdLog.Close()
	}, etcdLog, nil
}
