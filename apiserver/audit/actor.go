// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"log/slog"
)

// Kinds of actors.
const (
	// ByKey is a program, or an agent, with an API key.
	ByKey = "key"
	// ByLink is a person who came back from a platform's page with a link that a key had made.
	ByLink = "link"
)

// Actor is who a change is made for.
type Actor struct {
	// Kind is ByKey or ByLink.
	Kind string
	// KeyID and KeyName of the API key: the one that was shown, or the one that made the link.
	KeyID, KeyName string
	// Account is the namespace that the key belongs to, and Brand the name of the brand that is acted for.
	Account, Brand string
	// Address that the call came from.
	Address string
	// RequestID names the request in its answer and in the log, Operation is what was asked for.
	RequestID, Operation string
	// Door that the call came through, where it is not the REST interface.
	Door string
}

type actorKey struct{}

// With says for whom changes are made under the context.
func With(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// From tells for whom; the zero Actor when nobody said.
func From(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// maxName is how much of a key's name is told, in characters.
const maxName = 64

func (a *Actor) attr() slog.Attr {
	return slog.Group("actor", given(
		"kind", cmp.Or(a.Kind, "unknown"), "key_id", a.KeyID, "key_name", line(a.KeyName, maxName), "account", a.Account, "brand", a.Brand, "address", a.Address, "door", a.Door,
	)...)
}

// who names the actor for people.
func (a *Actor) who() string {
	key := "key " + cmp.Or(a.KeyID, "?")
	if a.KeyName != "" {
		key += " (" + line(a.KeyName, maxName) + ")"
	}
	switch a.Kind {
	case ByKey:
		return "by " + key
	case ByLink:
		return "by a person with a link of " + key
	}
	return "by nobody known"
}

// given are the pairs whose value is not empty.
func given(pairs ...string) []any {
	var out []any
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, slog.String(pairs[i], pairs[i+1]))
		}
	}
	return out
}
