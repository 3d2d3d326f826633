// SPDX-License-Identifier: Apache-2.0

package lists_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/lists"
	"github.com/reelops/reelops/internal/kube/resume"
	"github.com/reelops/reelops/internal/testkit"
)

// listed returns a Lister of the kind of the example. The handler responds as the cluster.
func listed(t *testing.T, example client.Object, handler http.HandlerFunc) *lists.Lister {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	selector := labels.SelectorFromSet(labels.Set{"brand": "acme"})
	l, err := lists.New(&rest.Config{Host: server.URL}, testkit.Scheme(), example, selector)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestEach_DecodesLikeClientGo lists random objects and compares them with what the decoder of client-go returns.
func TestEach_DecodesLikeClientGo(t *testing.T) {
	codecs := serializer.NewCodecFactory(testkit.Scheme())
	filler := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1), codecs)
	decoder := serializer.WithoutConversionCodecFactory{CodecFactory: codecs}.UniversalDeserializer()
	for _, example := range resume.Kinds() {
		t.Run(fmt.Sprintf("%T", example), func(t *testing.T) {
			var items []json.RawMessage
			var want, got []client.Object
			for range 100 {
				o := example.DeepCopyObject().(client.Object)
				filler.Fill(o)
				text, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				o = example.DeepCopyObject().(client.Object)
				if err := runtime.DecodeInto(decoder, text, o); err != nil {
					t.Fatal(err)
				}
				items, want = append(items, text), append(want, o)
			}
			l := listed(t, example, func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]any{"metadata": metav1.ListMeta{ResourceVersion: "7"}, "items": items})
			})
			version, err := l.Each(t.Context(), "", func(o client.Object) error {
				got = append(got, o)
				return nil
			})
			if err != nil || version != "7" {
				t.Fatalf("got version %q, %v", version, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-client-go +lists):\n%s", d)
			}
		})
	}
}

func TestEach(t *testing.T) {
	const whole = `{"kind":"SlideshowList","apiVersion":"reelops.dev/v1beta1","metadata":{"resourceVersion":"7"},` +
		`"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`
	for name, tc := range map[string]struct {
		answer string
		status int
		names  []string
		failed string // part of the error
	}{
		"a list": {answer: whole, names: []string{"a", "b"}},
		"metadata at the end": {
			answer: `{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"7"}}`, names: []string{"a"},
		},
		"no objects": {answer: `{"metadata":{"resourceVersion":"7"},"items":[]}`},
		"null":       {answer: `{"metadata":{"resourceVersion":"7"},"items":null}`},
		"a status": {
			answer: `{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}`,
			status: http.StatusGone, failed: "too old",
		},
		"cut off":                 {answer: whole[:len(whole)-20], names: []string{"a"}, failed: "unexpected EOF"},
		"cut off in metadata":     {answer: whole[:70], failed: "unexpected EOF"},
		"another document":        {answer: `[1]`, failed: "got ["},
		"items of a wrong kind":   {answer: `{"items":{"a":1}}`, failed: "got {"},
		"a field of a wrong type": {answer: `{"items":[{"metadata":{"name":1}}]}`, failed: "unmarshal JSON number"},
	} {
		t.Run(name, func(t *testing.T) {
			var query, agent string
			l := listed(t, &v1beta1.Slideshow{}, func(w http.ResponseWriter, r *http.Request) {
				query, agent = r.URL.Path+"?"+r.URL.RawQuery, r.UserAgent()
				w.Header().Set("Content-Type", "application/json")
				if tc.status != 0 {
					w.WriteHeader(tc.status)
				}
				_, _ = w.Write([]byte(tc.answer))
			})
			var names []string
			version, err := l.Each(t.Context(), "0", func(o client.Object) error {
				names = append(names, o.GetName())
				return nil
			})
			switch {
			case tc.failed == "" && (err != nil || version != "7"):
				t.Errorf("got version %q, %v", version, err)
			case tc.failed != "" && (err == nil || !strings.Contains(err.Error(), tc.failed)):
				t.Errorf("got %v, want an error with %q", err, tc.failed)
			}
			if !slices.Equal(names, tc.names) {
				t.Errorf("got %q, want %q", names, tc.names)
			}
			if want := "/apis/reelops.dev/v1beta1/slideshows?labelSelector=brand%3Dacme"; query != want {
				t.Errorf("requested %s, want %s", query, want)
			}
			if want := rest.DefaultKubernetesUserAgent(); agent != want {
				t.Errorf("got the user agent %q, want %q", agent, want)
			}
		})
	}
}

// TestEach_PagesAfterABrokenResponse checks that the next list has pages, and that an error of the caller changes
// nothing.
func TestEach_PagesAfterABrokenResponse(t *testing.T) {
	var queries []string
	l := listed(t, &v1beta1.Slideshow{}, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Del("labelSelector")
		queries = append(queries, q.Encode())
		switch {
		case q.Get("limit") == "" && len(queries) == 2:
			_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}},`))
		case q.Get("limit") != "" && q.Get("continue") == "":
			_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"8","continue":"next"},"items":[{"metadata":{"name":"a"}}]}`))
		default:
			_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"b"}}]}`))
		}
	})
	var names []string
	each := func(o client.Object) error {
		names = append(names, o.GetName())
		return nil
	}
	refused := errors.New("refused")
	if _, err := l.Each(t.Context(), "5", func(client.Object) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v, want the error of the caller", err)
	}
	if _, err := l.Each(t.Context(), "5", each); err == nil {
		t.Error("got no error for a broken response")
	}
	names = nil
	version, err := l.Each(t.Context(), "5", each)
	if err != nil || version != "8" || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("got %q, version %q, %v", names, version, err)
	}
	want := []string{"resourceVersion=5", "resourceVersion=5", "limit=500&resourceVersion=5", "continue=next&limit=500"}
	if d := cmp.Diff(want, queries); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}
