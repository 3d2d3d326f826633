// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"log/slog"
)

// Kinds of actors.
const (
	// ByKey is a program or an agent with an API key.
	ByKey = "key"
	// ByLink is a person who returned from a platform's page, using a link that a key or a user of the console had
	// created.
	ByLink = "link"
	// ByUser is a user who is signed in to the console.
	ByUser = "user"
)

// Actor is the caller on whose behalf a change happens.
type Actor struct {
	// Kind is ByKey, ByLink or ByUser.
	Kind string
	// KeyID and KeyName of the API key: the one in the request, or the one that created the link.
	KeyID, KeyName string
	// User is the name of the user of the console: the one who is signed in, or the one who created the link.
	User string
	// Account is the namespace of the key, or the account that the user acts in. Brand is the name of the brand that the request is for.
	Account, Brand string
	// Address of the caller.
	Address string
	// RequestID identifies the request in its response and in the log. Operation is the operation's name.
	RequestID, Operation string
	// Door is the transport of the call; empty for the REST API.
	Door string
}

type actorKey struct{}

// With returns a context whose changes are attributed to the actor.
func With(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// From returns the actor of the context, or the zero Actor if none was set.
func From(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// maxName and maxUser limit the recorded length of the name of a key and of a user, in characters.
const (
	maxName = 64
	maxUser = 256
)

func (a *Actor) attr() slog.Attr {
	return slog.Group("actor", given(
		"kind", cmp.Or(a.Kind, "unknown"), "key_id", a.KeyID, "key_name", line(a.KeyName, maxName), "user", line(a.User, maxUser),
		"account", a.Account, "brand", a.Brand, "address", a.Address, "door", a.Door,
	)...)
}

// Name returns the name of the user, or else the id and the name of the API key, in one line of at most 400 characters.
func (a *Actor) Name() string {
	if a.Kind == ByUser {
		return line(a.User, maxUser)
	}
	key := "key " + cmp.Or(a.KeyID, "?")
	if a.KeyName != "" {
		key += " (" + line(a.KeyName, maxName) + ")"
	}
	return key
}

// who returns a description of the actor for the notes of Events.
func (a *Actor) who() string {
	switch a.Kind {
	case ByKey:
		return "by " + a.Name()
	case ByLink:
		if a.User != "" {
			return "by a user with a link of " + line(a.User, maxUser)
		}
		return "by a user with a link of " + a.Name()
	case ByUser:
		return "by " + a.Name() + " in the console"
	}
	return "by an unknown caller"
}

// given returns the pairs whose value is not empty, as log attributes.
func given(pairs ...string) []any {
	var out []any
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, slog.String(pairs[i], pairs[i+1]))
		}
	}
	return out
}
