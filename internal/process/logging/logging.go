// SPDX-License-Identifier: Apache-2.0

// Package logging creates the log of a program: one JSON object per line, with one spelling of every key. Keys are
// snake_case. error holds the error, and account the tenant, whose namespace has the same name. Libraries use other
// keys (err, namespace, "worker count", reconcileID), so the handler renames theirs.
package logging

import (
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/reelops/reelops/internal/process/outcome"
)

// spellings maps keys of libraries to the keys of Reelops.
var spellings = map[string]string{"err": "error", "namespace": "account"}

// New returns a logger that writes lines of the level and above.
func New(to io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(&handler{Handler: slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level})})
}

// SetLibraries makes controller-runtime and client-go write to the log. Without it, client-go writes lines that are not
// JSON.
func SetLibraries(log *slog.Logger) {
	ctrllog.SetLogger(logr.FromSlogHandler(log.Handler()))
	klog.SetSlogLogger(log)
}

// handler renames the keys of a line. Keys within groups and objects stay as they are.
type handler struct {
	slog.Handler
	grouped bool
}

// Handle renames the keys of the record. An error about a namespace that is being deleted is expected, so its level
// becomes debug: client-go logs one for each event that it could not store.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelError && terminating(r) {
		if r.Level = slog.LevelDebug; !h.Enabled(ctx, r.Level) {
			return nil
		}
	}
	if h.grouped {
		return h.Handler.Handle(ctx, r)
	}
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(rename(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

// terminating reports whether an attribute of the record is the API server's refusal to create objects in a namespace
// that is being deleted.
func terminating(r slog.Record) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindAny {
			err, ok := a.Value.Any().(error)
			found = ok && outcome.Terminating(err)
		}
		return !found
	})
	return found
}

// WithAttrs renames the keys of the attributes.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if !h.grouped {
		renamed := make([]slog.Attr, len(attrs))
		for i, a := range attrs {
			renamed[i] = rename(a)
		}
		attrs = renamed
	}
	return &handler{Handler: h.Handler.WithAttrs(attrs), grouped: h.grouped}
}

// WithGroup returns a handler whose further attributes are within the group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{Handler: h.Handler.WithGroup(name), grouped: true}
}

// rename returns the attribute with the key in the spelling of Reelops. For the reference that controller-runtime logs
// under the kind of the object, it returns the empty attribute, which handlers omit: controller_kind, account and name
// are in the line already.
func rename(a slog.Attr) slog.Attr {
	if _, ok := a.Value.Any().(klog.ObjectRef); ok && a.Key != strings.ToLower(a.Key) {
		return slog.Attr{}
	}
	a.Key = key(a.Key)
	return a
}

var (
	// hump is the place between two words of a camelCase key: reconcile|ID, controller|Kind.
	hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	// separators are the characters between words in other styles.
	separators = regexp.MustCompile(`[^A-Za-z0-9_]+`)
)

// key returns the spelling of a key.
func key(s string) string {
	s = strings.ToLower(separators.ReplaceAllString(hump.ReplaceAllString(s, "${1}_$2"), "_"))
	if ours, ok := spellings[s]; ok {
		return ours
	}
	return s
}
