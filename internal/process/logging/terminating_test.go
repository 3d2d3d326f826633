// SPDX-License-Identifier: Apache-2.0

package logging

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestLog_DeletedNamespaceIsNoError(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "a", errors.New("it is being terminated"))
	write := func(level slog.Level, err error) string {
		var out bytes.Buffer
		logr.FromSlogHandler(New(&out, level).Handler()).Error(err, "Server rejected event (will not retry!)")
		return out.String()
	}
	if got := write(slog.LevelInfo, refused); !strings.Contains(got, `"level":"ERROR"`) {
		t.Errorf("an error for another reason is logged as %q", got)
	}
	refused.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	wrapped := fmt.Errorf("making a Secret: %w", refused)
	if got := write(slog.LevelInfo, wrapped); got != "" {
		t.Errorf("got the log %q", got)
	}
	if got := write(slog.LevelDebug, wrapped); !strings.Contains(got, `"level":"DEBUG"`) {
		t.Errorf("at the level debug: got %q", got)
	}
}
