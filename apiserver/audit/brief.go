// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// Limits on how much of a change is recorded.
const (
	// maxFields limits the fields that differ, maxText the characters of each value, maxItems the items of a list that
	// are compared one by one. Beyond a limit only the number is recorded.
	maxFields = 24
	maxText   = 80
	maxItems  = 4
)

// more is the key under which the number of omitted fields is recorded.
const more = "…"

// brief holds the recorded values of an object by field path, such as "slides[1].heading".
type brief map[string]any

// difference returns the fields of an object that differ: those of its spec, and its Reelops labels and annotations.
// before is nil for a new object, after is nil for a deleted one. The result holds no secrets, no signed URLs and no
// long texts.
func difference(before, after client.Object) (was, is brief) {
	d := &differ{was: brief{}, is: brief{}}
	d.compare("", "", recordable(before), recordable(after))
	if d.left > 0 {
		d.is[more] = fmt.Sprintf("%d more", d.left)
	}
	return d.was, d.is
}

// recordable returns the part of an object that callers can change: the spec, the role and the subjects of a role
// binding, and the Reelops labels and annotations.
func recordable(o client.Object) any {
	if o == nil || reflect.ValueOf(o).IsNil() {
		return nil
	}
	all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil // every API object can be converted
	}
	return recordableOf(all)
}

func recordableOf(all map[string]any) any {
	out, _ := all["spec"].(map[string]any)
	if out = maps.Clone(out); out == nil {
		out = map[string]any{}
	}
	for _, name := range []string{"roleRef", "subjects"} {
		if v, ok := all[name]; ok {
			out[name] = v
		}
	}
	meta, _ := all["metadata"].(map[string]any)
	for _, kind := range []string{"labels", "annotations"} {
		values, _ := meta[kind].(map[string]any)
		for name, v := range values {
			// The id and the brand are recorded elsewhere in the line.
			if strings.HasPrefix(name, v1beta1.GroupVersion.Group+"/") && name != v1beta1.LabelID && name != v1beta1.LabelBrand {
				out[kind+"."+name] = v
			}
		}
	}
	return out
}

type differ struct {
	was, is brief
	fields  int
	left    int
}

// compare walks the two values of a path and records what differs. name is the last field name of the path.
func (d *differ) compare(path, name string, a, b any) {
	if reflect.DeepEqual(a, b) {
		return
	}
	if hidden(name) {
		d.add(path, conceal(a), conceal(b))
		return
	}
	if x, y, ok := both[map[string]any](a, b); ok && (x != nil || y != nil) {
		for _, key := range slices.Sorted(maps.Keys(merged(x, y))) {
			d.compare(joined(path, key), key, x[key], y[key])
		}
		return
	}
	x, y, ok := both[[]any](a, b)
	if !ok || plain(x) && plain(y) || max(len(x), len(y)) > maxItems && len(x) != len(y) {
		d.add(path, short(a), short(b))
		return
	}
	for i := range max(len(x), len(y)) {
		d.compare(fmt.Sprintf("%s[%d]", path, i), name, at(x, i), at(y, i))
	}
}

// both returns two values as type T. One of them may be nil and is then returned as the zero value.
func both[T any](a, b any) (x, y T, ok bool) {
	x, isX := a.(T)
	y, isY := b.(T)
	return x, y, (isX || a == nil) && (isY || b == nil) && (isX || isY)
}

func merged(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// plain reports whether a list holds only scalars: no objects and no lists.
func plain(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

func (d *differ) add(path string, was, is any) {
	if d.fields++; d.fields > maxFields {
		d.left++
		return
	}
	if was != nil {
		d.was[path] = was
	}
	if is != nil {
		d.is[path] = is
	}
}

// short returns a value shortened to the limits.
func short(v any) any {
	switch v := v.(type) {
	case string:
		return line(v, maxText)
	case []any:
		if len(v) > 2*maxItems || !plain(v) {
			return fmt.Sprintf("[%d items]", len(v))
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = short(v[i])
		}
		return out
	case map[string]any:
		return fmt.Sprintf("{%d fields}", len(v))
	}
	return v
}

// line returns a text on one line with at most the given number of characters. URLs lose the parts that may grant
// access.
func line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		// Characters that change the writing direction could make one line look like another. Joiners are parts of
		// letters and of emoji.
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	s = address.ReplaceAllStringFunc(s, withoutCredentials)
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%s… (%d characters)", string(r[:most]), len(r))
	}
	return s
}

// address matches URLs, which may be signed or hold a password.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+`)

// withoutCredentials returns a URL without its query, fragment and user: the location without the parts that grant access.
func withoutCredentials(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	if cut := strings.IndexAny(rest, "?#"); cut >= 0 {
		rest = rest[:cut] + "?…"
	}
	host, path, _ := strings.Cut(rest, "/")
	if user := strings.LastIndexByte(host, '@'); user >= 0 {
		rest = "…@" + host[user+1:]
		if path != "" {
			rest += "/" + path
		}
	}
	return scheme + "://" + rest
}

// hidden reports whether the values of a field must not be recorded.
func hidden(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"secret", "token", "sealed", "nonce", "password", "credential"}, func(s string) bool { return strings.Contains(name, s) })
}

func conceal(v any) any {
	if v == nil {
		return nil
	}
	return "[redacted]"
}
