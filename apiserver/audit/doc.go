// SPDX-License-Identifier: Apache-2.0

// Package audit records every change that the front end makes on behalf of a caller: the actor, the request, the object
// and its changed fields. Each change is one line of JSON, and a Kubernetes Event on the object, which kubectl shows.
//
// Log.Client wraps the client that operations write with. So the record is complete, and it holds actual changes only:
// a refused request, or one that got the response of an earlier run, has no line. Package operation puts the actor into
// the context.
//
// Changes that are not to callers' objects have no line: statuses, idempotency records, leased ids and the usage of
// keys. The package stores nothing. The installation decides where the lines are sent and how long they are retained.
package audit
