// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// numbers returns the numbers from first up to end, without end.
func numbers(first, end int) []int {
	out := make([]int, end-first)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// readRows returns rows of a file by their numbers, which are in ascending order without duplicates. It reads only the
// columns of the fields of T, by the names in their tags.
func readRows[T any](v *view, f *file, rows []int) ([]T, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	out := make([]T, len(rows))
	if err := v.decode(func() error {
		columns, err := columnsOf[T](f)
		if err != nil {
			return err
		}
		var spans []span
		for _, c := range columns {
			spans = append(spans, c.spans(rows)...)
		}
		if err := v.load(spans...); err != nil {
			return err
		}
		return readColumns(v, columns, rows, reflect.ValueOf(out))
	}); err != nil {
		return nil, err
	}
	return out, nil
}

// columnsOf returns the columns of the fields of T.
func columnsOf[T any](f *file) ([]column, error) {
	var out []column
	schema := parquet.SchemaOf(new(T))
	for i := range reflect.TypeFor[T]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[T]().Field(i).Tag.Get("parquet"), ",")
		leaf, _ := schema.Lookup(name)
		c, err := f.column(name, leaf.Node.Type())
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// atATime is the number of rows whose columns are read one after the other. Their memory stays in the processor's
// cache meanwhile.
const atATime = 512

// readColumns stores the values of rows in the fields of the structs of a slice, which are in the order of the columns.
func readColumns(v *view, columns []column, rows []int, out reflect.Value) error {
	readers := make([]columnReader, len(columns))
	for i, c := range columns {
		readers[i] = columnReader{pages: c.chunk.PagesFrom(v), shared: map[string]string{}}
		defer readers[i].close()
	}
	for first := 0; first < len(rows); first += atATime {
		for i := range readers {
			for row := first; row < min(first+atATime, len(rows)); row++ {
				if err := readers[i].read(rows[row], out.Index(row).Field(i)); err != nil {
					return fmt.Errorf("row %d of column %s: %w", rows[row], out.Type().Elem().Field(i).Name, err)
				}
			}
		}
	}
	return nil
}

// columnReader reads values of one column, in the order of rows.
type columnReader struct {
	pages *parquet.FilePages
	// page is the current page, which ends before row end.
	page parquet.Page
	end  int
	// buf has n values of the page, from row first. values reads those after them.
	values   parquet.ValueReader
	buf      [64]parquet.Value
	first, n int
	// shared are the strings of a dictionary: equal values share one string.
	shared map[string]string
}

func (r *columnReader) close() {
	if r.page != nil {
		parquet.Release(r.page)
	}
	_ = r.pages.Close()
}

// read stores a copy of the value of a row in a field. Null is the zero value. The row is after the previous one.
func (r *columnReader) read(row int, field reflect.Value) error {
	for row >= r.first+r.n {
		if err := r.advance(row); err != nil {
			return err
		}
	}
	value := &r.buf[row-r.first]
	if value.IsNull() {
		return nil
	}
	switch field.Kind() {
	case reflect.Int64:
		field.SetInt(value.Int64())
	case reflect.Bool:
		field.SetBool(value.Boolean())
	case reflect.String:
		field.SetString(r.text(value.ByteArray()))
	case reflect.Slice:
		field.SetBytes(slices.Clone(value.ByteArray()))
	case reflect.Struct:
		*field.Addr().Interface().(*time.Time) = time.UnixMilli(value.Int64()).UTC()
	default:
		return fmt.Errorf("a field of type %s", field.Type())
	}
	return nil
}

// advance reads the next values on the way to a row. Pages between are skipped.
func (r *columnReader) advance(row int) (err error) {
	if row >= r.end {
		if err := r.open(row); err != nil {
			return err
		}
	}
	r.first += r.n
	if r.n, err = r.values.ReadValues(r.buf[:]); r.n == 0 {
		return fmt.Errorf("page ends at row %d instead of %d: %w", r.first, r.end, err)
	}
	return nil
}

// open reads the page of a row. Its first value is that of the row.
func (r *columnReader) open(row int) error {
	if err := r.pages.SeekToRow(int64(row)); err != nil {
		return err
	}
	page, err := r.pages.ReadPage()
	if err != nil {
		return err
	}
	if r.page != nil {
		parquet.Release(r.page)
	}
	r.page, r.values = page, page.Values()
	r.first, r.n, r.end = row, 0, row+int(page.NumRows())
	return nil
}

// text returns a string. Equal values of a dictionary share one.
func (r *columnReader) text(b []byte) string {
	s, ok := r.shared[string(b)]
	if !ok {
		s = string(b)
		if r.page.Dictionary() != nil {
			r.shared[s] = s
		}
	}
	return s
}
