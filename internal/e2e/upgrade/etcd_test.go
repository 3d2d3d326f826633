// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/reelops/reelops/internal/process/loopback"
)

// object is one object with its key in etcd, as it is stored: without a resourceVersion.
type object struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// recorded are the keys of an installation's own objects. What Kubernetes makes itself, and what config/local holds,
// is not among them.
var recorded = regexp.MustCompile(`^/registry/(reelops\.dev/.+|` +
	`(secrets|configmaps|rolebindings|jobs|pods)/(` + tenant + `|reelops-system)/.+|namespaces/` + tenant + `)$`)

// excluded are objects among these that Kubernetes makes again.
var excluded = regexp.MustCompile(`/kube-root-ca\.crt$`)

// withEtcd runs etcd alone on the data of a stopped cluster, or before its first start.
func (w *world) withEtcd(t *testing.T, do func(call func(path string, in, out any))) {
	t.Helper()
	listen, err := loopback.Address()
	must(t, err)
	peer, err := loopback.Address()
	must(t, err)
	w.start(t, "etcd", "--name", "localkube", "--data-dir", w.path("kube", "etcd"), "--listen-client-urls", "http://"+
		listen,
		"--advertise-client-urls", "http://"+listen, "--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls",
		"http://"+peer,
		"--initial-cluster", "localkube=http://"+peer, "--unsafe-no-fsync")
	defer w.stop("etcd")
	w.await(t, "etcd", func() bool { return ok("http://" + listen + "/health") })
	do(func(path string, in, out any) {
		doc, err := json.Marshal(in)
		must(t, err)
		res, err := http.Post("http://"+listen+path, "application/json", bytes.NewReader(doc))
		must(t, err)
		defer func() { _ = res.Body.Close() }()
		NewWithT(t).Expect(res.StatusCode).To(Equal(http.StatusOK), path)
		must(t, json.NewDecoder(res.Body).Decode(out))
	})
}

// dump returns the installation's objects from the data of a stopped cluster.
func (w *world) dump(t *testing.T) (out []object) {
	t.Helper()
	w.withEtcd(t, func(call func(string, any, any)) {
		var all struct {
			KVs []struct{ Key, Value []byte }
		}
		call("/v3/kv/range", map[string]any{"key": []byte("/registry/"), "range_end": []byte("/registry0")}, &all)
		for _, kv := range all.KVs {
			key := string(kv.Key)
			if !recorded.MatchString(key) || excluded.MatchString(key) {
				continue
			}
			out = append(out, object{key, asJSON(t, kv.Value)})
		}
	})
	if len(out) == 0 {
		t.Fatal("the cluster has no objects")
	}
	return out
}

// asJSON returns a stored object as JSON. Custom resources are stored as such, Kubernetes' own kinds as protocol
// buffers.
func asJSON(t *testing.T, value []byte) json.RawMessage {
	t.Helper()
	if json.Valid(value) {
		return bytes.TrimSpace(value)
	}
	o, kind, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
	must(t, err)
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	must(t, err)
	doc["apiVersion"], doc["kind"] = kind.GroupVersion().String(), kind.Kind
	out, err := json.Marshal(doc)
	must(t, err)
	return out
}

// load stores objects before the first start of a cluster. kube-apiserver reads JSON of every kind.
func (w *world) load(t *testing.T, objects []object) {
	t.Helper()
	w.withEtcd(t, func(call func(string, any, any)) {
		for _, o := range objects {
			var out struct{ Error string }
			call("/v3/kv/put", map[string]any{"key": []byte(o.Key), "value": []byte(o.Value)}, &out)
			if out.Error != "" {
				t.Fatal(o.Key, out.Error)
			}
		}
	})
}

// kindOf returns the resource, such as slideshows, and the name of an object.
func (o object) kindOf() (resource, name string) {
	parts := strings.Split(strings.TrimPrefix(o.Key, "/registry/"), "/")
	if parts[0] == "reelops.dev" {
		parts = parts[1:]
	}
	return parts[0], parts[len(parts)-1]
}

func (o object) String() string {
	resource, name := o.kindOf()
	return fmt.Sprintf("%s %s", resource, name)
}
