// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Details are the machine-readable details of an issue: numbers, texts, and lists of them.
type Details = map[string]any

// Issue is a reason why a post cannot be published, or a warning for the caller.
type Issue struct {
	Code      catalog.Code
	Message   string
	Retryable bool
	// Warning indicates that the issue does not prevent publishing.
	Warning bool
	Details Details
}

// issue returns an issue with the catalog's message, unless message is set.
func issue(code catalog.Code, message string, details Details) Issue {
	e, _ := catalog.LookupError(code)
	if message == "" {
		message = e.Message
	}
	return Issue{Code: code, Message: message, Retryable: e.Retryable, Details: details}
}

// field returns an issue about a field of the request.
func field(name, message string, more Details) Issue {
	d := Details{"field": name}
	for k, v := range more {
		d[k] = v
	}
	return issue(catalog.ValidationFailed, message, d)
}

// Unclear returns the issue for a short name that both a Slideshow and a Video have.
func Unclear(name string) Issue {
	return field("shortRef.kind", "There is a Slideshow and a Video with the name "+name+": set shortRef.kind.", nil)
}

// FirstError returns the first issue that is not a warning, or nil.
func FirstError(issues []Issue) *Issue {
	for i := range issues {
		if !issues[i].Warning {
			return &issues[i]
		}
	}
	return nil
}

// Record returns the issue as stored in the status of objects. Details are converted to text.
func (i *Issue) Record() *v1beta1.WorkError {
	out := &v1beta1.WorkError{Code: string(i.Code), Message: i.Message, Retryable: i.Retryable}
	for k, v := range i.Details {
		if out.Details == nil {
			out.Details = map[string]string{}
		}
		if t, ok := v.(time.Time); ok {
			v = t.UTC().Format(time.RFC3339)
		}
		out.Details[k] = fmt.Sprint(v)
	}
	return out
}
