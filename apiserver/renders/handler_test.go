// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
)

// TestProgress_LimitsRequestsToTheCluster sends as many reports as a malicious pod could send.
func TestProgress_LimitsRequestsToTheCluster(t *testing.T) {
	j := &v1beta1.RenderJob{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "tea-r1", UID: "render"}}
	j.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1}
	reads := 0
	counting := interceptor.Funcs{Get: func(
		ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
	) error {
		reads++
		return c.Get(ctx, key, o, opts...)
	}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(j).WithStatusSubresource(j).
		WithInterceptorFuncs(counting).Build()
	signer, err := callback.NewSigner(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	now := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	h := &Handler{Signer: signer, Live: c, Client: c, Clock: now, Log: slog.New(slog.DiscardHandler)}
	routes := h.Routes()
	a := callback.Attempt{Namespace: j.Namespace, Name: j.Name, UID: string(j.UID), Number: 1}
	address := signer.URL("http://front.example", callback.KindProgress, a, now.Now().Add(time.Hour))
	send := func(percent string) {
		t.Helper()
		body := `{"version":1,"percent":` + percent + `,"frame":1,"frames":1,"fps":1}`
		r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(body))
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, r)
		if w.Code != http.StatusNoContent {
			t.Errorf("%s percent: status %d, %s", percent, w.Code, w.Body)
		}
	}
	for range 20 {
		send("99")
		send("100")
	}
	if reads != 2 {
		t.Errorf("%d reads of the RenderJob in a second, want one of progress and one of completion", reads)
	}
	now.SetTime(now.Now().Add(time.Second))
	send("100")
	if reads != 3 {
		t.Errorf("%d reads after a second, want 3", reads)
	}
}
