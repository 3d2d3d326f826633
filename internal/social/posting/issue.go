// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"fmt"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Details are the machine-readable specifics of an issue: numbers, texts, lists of either.
type Details = map[string]any

// Issue is something that keeps a post from going out, or that a caller should know.
type Issue struct {
	Code      catalog.Code
	Message   string
	Retryable bool
	// Warning says that it keeps nothing from going out.
	Warning bool
	Details Details
}

// issue is one in the catalog's words, unless it has its own.
func issue(code catalog.Code, message string, details Details) Issue {
	e, _ := catalog.LookupError(code)
	if message == "" {
		message = e.Message
	}
	return Issue{Code: code, Message: message, Retryable: e.Retryable, Details: details}
}

// field refuses a field of what was asked for.
func field(name, message string, more Details) Issue {
	d := Details{"field": name}
	for k, v := range more {
		d[k] = v
	}
	return issue(catalog.ValidationFailed, message, d)
}

// Unclear refuses the name of a short that is a Slideshow's and a Video's.
func Unclear(name string) Issue {
	return field("shortRef.kind", "There is a Slideshow and a Video by the name "+name+": shortRef.kind must say which is meant.", nil)
}

// FirstError is the first issue that is no warning, or nil.
func FirstError(issues []Issue) *Issue {
	for i := range issues {
		if !issues[i].Warning {
			return &issues[i]
		}
	}
	return nil
}

// Record is the issue as objects of the cluster hold it: details are texts there.
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
