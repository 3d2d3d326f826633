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

// How much of a change is told.
const (
	// maxFields that differ, maxText characters of each, maxItems of a list by itself; of more only how many there are.
	maxFields = 24
	maxText   = 80
	maxItems  = 4
)

// more is the member that says how many fields are not told.
const more = "…"

// brief is what is told of an object: values by the paths of their fields, such as "slides[1].heading".
type brief map[string]any

// difference tells what of an object is different: its spec, and the labels and annotations that mean something here. before is
// nil for an object that is new, after for one that goes. Neither holds a secret, an address that lets anybody in, or a long text.
func difference(before, after client.Object) (was, is brief) {
	d := &differ{was: brief{}, is: brief{}}
	d.compare("", "", tellable(before), tellable(after))
	if d.left > 0 {
		d.is[more] = fmt.Sprintf("%d more", d.left)
	}
	return d.was, d.is
}

// tellable is the part of an object that somebody may want to change.
func tellable(o client.Object) any {
	if o == nil || reflect.ValueOf(o).IsNil() {
		return nil
	}
	all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil // every object of the API can be read so
	}
	return tellableOf(all)
}

func tellableOf(all map[string]any) any {
	out, _ := all["spec"].(map[string]any)
	if out = maps.Clone(out); out == nil {
		out = map[string]any{}
	}
	meta, _ := all["metadata"].(map[string]any)
	for _, kind := range []string{"labels", "annotations"} {
		values, _ := meta[kind].(map[string]any)
		for name, v := range values {
			// The id and the brand are told anyway.
			if strings.HasPrefix(name, v1beta1.GroupVersion.Group+"/") && name != v1beta1.LabelID && name != v1beta1.LabelBrand {
				out[kind+"."+name] = v
			}
		}
	}
	return out
}

type differ struct {
	was, is brief
	told    int
	left    int
}

// compare walks two values of a path; name is the last of its words.
func (d *differ) compare(path, name string, a, b any) {
	if reflect.DeepEqual(a, b) {
		return
	}
	if hidden(name) {
		d.tell(path, conceal(a), conceal(b))
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
		d.tell(path, short(a), short(b))
		return
	}
	for i := range max(len(x), len(y)) {
		d.compare(fmt.Sprintf("%s[%d]", path, i), name, at(x, i), at(y, i))
	}
}

// both gives two values as a type; one of them may be missing, and is the zero then.
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

// plain says that a list has nothing but texts, numbers and the like.
func plain(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v.(type) {
		case map[string]any, []any:
			return true
		}
		return false
	})
}

func (d *differ) tell(path string, was, is any) {
	if d.told++; d.told > maxFields {
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

// short is a value of bounded length.
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

// line is a text of bounded length without what could let anybody in, on one line.
func line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		// What turns the direction of writing could make a line read as another; joiners are parts of letters and of emoji.
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	s = address.ReplaceAllStringFunc(s, openly)
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%s… (%d characters)", string(r[:most]), len(r))
	}
	return s
}

// address finds what may be signed, or hold a password.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+`)

// openly is an address without its query, fragment and user: where it leads, but not what opens it.
func openly(s string) string {
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

// hidden names fields whose values nobody may read.
func hidden(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"secret", "token", "sealed", "nonce", "password", "credential"}, func(s string) bool { return strings.Contains(name, s) })
}

func conceal(v any) any {
	if v == nil {
		return nil
	}
	return "[not told]"
}
