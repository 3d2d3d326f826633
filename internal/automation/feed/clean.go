// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxDepth is the maximum nesting of elements. Feeds need about six levels, HTML in them some more.
	maxDepth = 200
	// maxAttributes is the maximum number of attributes of an element. Further ones are dropped.
	maxAttributes = 50
	// maxSpaces is the maximum number of name spaces that apply to an element. Further ones are dropped.
	maxSpaces = 32
	// maxElements is the maximum number of elements before the item after MaxItems.
	maxElements = 100_000
	// maxText is the length in bytes at which the text of an element is cut.
	maxText = 16 << 10
	// maxClean is the maximum size of a cleaned feed.
	maxClean = 16 << 20
)

// Reasons why a document cannot be cleaned.
var (
	// errTooMuch means that a feed exceeds maxDepth, maxElements or maxClean.
	errTooMuch = errors.New("too much for a feed")
	// errRoot means that the first element is not one of a feed, or that there is none.
	errRoot = errors.New("not the root of a feed")
	// errCut means that the document ends within an element.
	errCut = errors.New("the document ends too early")
)

// roots are the names of the first element of a feed.
var roots = []string{"rss", "rdf", "feed"}

// clean returns a feed in UTF-8 in a form that costs a bounded amount of time and memory to parse: well-formed XML
// without comments, instructions and declarations, of limited depth and size, with the first MaxItems items. It also
// returns how many items were left out. Entities that a document declares are never expanded.
//
// The parser of feeds has no such limits: it recurses into nested elements, copies all name spaces for every element,
// and concatenates the parts of a text one by one.
func clean(data []byte) (cleaned []byte, omitted int, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false // as the parser of feeds
	c := cleaner{}
	for {
		err := c.token(d)
		if errors.Is(err, io.EOF) || err != nil && c.full() { // what follows the used items does not matter
			break
		}
		if err != nil && c.elements == 0 {
			err = errRoot
		}
		if err != nil {
			return nil, 0, err
		}
	}
	switch {
	case c.elements == 0:
		return nil, 0, errRoot
	case len(c.open) > 0 && !c.full():
		return nil, 0, errCut
	}
	for len(c.open) > 0 {
		c.close()
	}
	return c.out.Bytes(), c.omitted, nil
}

// token reads and writes one token.
func (c *cleaner) token(d *xml.Decoder) error {
	t, err := d.RawToken()
	switch t := t.(type) {
	case xml.StartElement:
		err = c.start(t)
	case xml.EndElement:
		c.end(name(t.Name))
	case xml.CharData:
		c.text(t)
	}
	if c.out.Len() > maxClean {
		return errTooMuch
	}
	return err
}

// cleaner writes the cleaned feed.
type cleaner struct {
	out bytes.Buffer
	// open are the elements that are open in the feed. Those that are not dropped are open in the output, too.
	open     []element
	elements int
	items    int
	omitted  int
}

type element struct {
	name    string
	written int // bytes of text
	spaces  int // name spaces that apply to it
	dropped bool
	item    bool
}

// full reports whether all items that are used were read.
func (c *cleaner) full() bool {
	return c.items >= MaxItems && !slices.ContainsFunc(c.open, element.inItem)
}

func (e element) inItem() bool { return e.item }

func (c *cleaner) start(t xml.StartElement) error {
	if c.elements == 0 && !slices.Contains(roots, strings.ToLower(t.Name.Local)) {
		return errRoot
	}
	if len(c.open) >= maxDepth {
		return errTooMuch
	}
	e := element{name: name(t.Name)}
	if len(c.open) > 0 {
		outer := c.open[len(c.open)-1]
		e.dropped, e.spaces = outer.dropped, outer.spaces
	}
	// Items are children of the root or of its child channel.
	local := strings.ToLower(t.Name.Local)
	if (local == "item" || local == "entry") && len(c.open) > 0 && len(c.open) < 3 {
		if e.item = c.items < MaxItems; e.item {
			c.items++
		} else if !e.dropped {
			e.dropped = true
			c.omitted++
		}
	}
	if !e.dropped {
		if c.elements++; c.elements > maxElements {
			return errTooMuch
		}
		c.out.WriteString("<" + e.name)
		for _, a := range t.Attr[:min(len(t.Attr), maxAttributes)] {
			if a.Name.Space == "xmlns" || name(a.Name) == "xmlns" {
				if e.spaces++; e.spaces > maxSpaces {
					continue
				}
			}
			c.out.WriteString(" " + name(a.Name) + `="`)
			_ = xml.EscapeText(&c.out, []byte(a.Value))
			c.out.WriteString(`"`)
		}
		c.out.WriteString(">")
	}
	c.open = append(c.open, e)
	return nil
}

// end closes an element and those in it that the feed did not close.
func (c *cleaner) end(name string) {
	at := len(c.open) - 1
	for at >= 0 && c.open[at].name != name {
		at--
	}
	for at >= 0 && len(c.open) > at {
		c.close()
	}
}

func (c *cleaner) close() {
	e := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if !e.dropped {
		c.out.WriteString("</" + e.name + ">")
	}
}

func (c *cleaner) text(t xml.CharData) {
	if len(c.open) == 0 || c.open[len(c.open)-1].dropped {
		return
	}
	e := &c.open[len(c.open)-1]
	if room := maxText - e.written; len(t) > room {
		for room > 0 && !utf8.RuneStart(t[room]) {
			room--
		}
		t = t[:room]
	}
	e.written += len(t)
	_ = xml.EscapeText(&c.out, t)
}

// name returns a name as it is written.
func name(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
