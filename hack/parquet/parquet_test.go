// SPDX-License-Identifier: Apache-2.0

// Package parquet tests that another Parquet library reads the files of the archive.
package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// rows returns so many rows that every column has several pages.
func rows() (shorts []archive.Short, posts []archive.Post) {
	at := time.Date(2026, 10, 1, 0, 0, 0, 7_000_000, time.UTC)
	for i := range int64(9000) {
		s := archive.Short{
			ID: 1000 + 3*i, Kind: []string{"Slideshow", "Video", ""}[i%3], Brand: fmt.Sprint("brand-", i%7), State: "succeeded",
			CreatedAt: at.Add(time.Duration(i) * 250 * time.Second), ArchivedAt: at.AddDate(0, 2, 0), FilmBytes: i * 1000,
			Title: fmt.Sprintf("Titel %d: Grüße 世界 👋", i), Caption: fmt.Sprint("caption\n", i*i),
			Objects: fmt.Appendf(nil, `[{"kind":"Slideshow","title":"ü %d","sum":%d}]`, i, i*7919),
		}
		if i%5 > 0 {
			s.Text = fmt.Sprint("text ", i%11)
		}
		shorts = append(shorts, s)
		for j := range i % 5 {
			p := archive.Post{
				ID: s.ID*10 + j, ShortID: s.ID, Brand: s.Brand, Account: fmt.Sprint("account-", j), Platform: "tiktok",
				State: "success", Immediate: j == 1, CreatedAt: s.CreatedAt, ScheduledAt: s.CreatedAt.Add(time.Hour),
				Batch: fmt.Sprint("batch-", i), PlatformPostID: fmt.Sprint(i * j), URL: fmt.Sprint("https://example.com/", i),
				Title: s.Title, Caption: s.Caption, Object: fmt.Appendf(nil, `{"kind":"Post","number":%d}`, i),
			}
			if j > 0 {
				p.PublishedAt = p.ScheduledAt.Add(time.Duration(j) * time.Millisecond)
			}
			posts = append(posts, p)
		}
	}
	return shorts, posts
}

// table is the columns of a file by name, each value as text.
type table map[string][]string

func (t table) add(name string, value any) {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			value = array.NullValueStr
		} else {
			value = v.Format("2006-01-02T15:04:05.000Z")
		}
	case []byte:
		value = string(v)
	}
	t[name] = append(t[name], fmt.Sprint(value))
}

func expected() (shorts, posts table) {
	shorts, posts = table{}, table{}
	a, b := rows()
	for i := range a {
		r := &a[i]
		for name, value := range map[string]any{
			"id": r.ID, "kind": r.Kind, "brand": r.Brand, "state": r.State, "created_at": r.CreatedAt,
			"archived_at": r.ArchivedAt, "film_bytes": r.FilmBytes, "title": r.Title, "caption": r.Caption, "text": r.Text,
			"objects": r.Objects,
		} {
			shorts.add(name, value)
		}
	}
	for i := range b {
		r := &b[i]
		for name, value := range map[string]any{
			"id": r.ID, "short_id": r.ShortID, "brand": r.Brand, "account": r.Account, "platform": r.Platform,
			"state": r.State, "immediate": r.Immediate, "created_at": r.CreatedAt, "scheduled_at": r.ScheduledAt,
			"published_at": r.PublishedAt, "archived_at": r.ArchivedAt,
			"batch": r.Batch, "platform_post_id": r.PlatformPostID, "url": r.URL,
			"title": r.Title, "caption": r.Caption, "object": r.Object,
		} {
			posts.add(name, value)
		}
	}
	return shorts, posts
}

// read returns the columns of a file as Arrow reads them.
func read(t *testing.T, content []byte) (*metadata.FileMetaData, table) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	in, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	all, err := in.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	out := table{}
	for i := range int(all.NumCols()) {
		c := all.Column(i)
		for _, chunk := range c.Data().Chunks() {
			for row := range chunk.Len() {
				out.add(c.Name(), value(chunk, row))
			}
		}
	}
	return r.MetaData(), out
}

// value returns a value of a column. Timestamps are times, and JSON is bytes.
func value(a arrow.Array, row int) any {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if a.IsNull(row) {
		return time.Time{}
	}
	switch a := a.(type) {
	case *array.Timestamp:
		return a.Value(row).ToTime(arrow.Millisecond)
	case *array.Binary:
		return a.Value(row)
	}
	return a.ValueStr(row)
}

func TestFiles_ReadByArrow(t *testing.T) {
	files := testkit.Files(t, clock.RealClock{})
	a, b := rows()
	seg, err := archive.New(files, 0).Write(t.Context(), "acme", a, b)
	if err != nil {
		t.Fatal(err)
	}
	shorts, posts := expected()
	for name, want := range map[string]table{"shorts": shorts, "posts": posts} {
		t.Run(name, func(t *testing.T) {
			in, err := files.Get(t.Context(), "archive/acme/"+seg.Name+"/"+name+".parquet")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			content, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			meta, got := read(t, content)
			if len(got) != len(want) {
				t.Errorf("got %d columns, want %d", len(got), len(want))
			}
			for column, values := range want {
				if len(got[column]) != len(values) {
					t.Errorf("column %s: got %d rows, want %d", column, len(got[column]), len(values))
					continue
				}
				for row := range values {
					if got[column][row] != values[row] {
						t.Errorf("column %s, row %d: got %q, want %q", column, row, got[column][row], values[row])
						break
					}
				}
			}
			checkTypes(t, meta, name)
		})
	}
}

// checkTypes compares the logical types that other programs rely on.
func checkTypes(t *testing.T, meta *metadata.FileMetaData, name string) {
	t.Helper()
	want := map[string]string{
		"created_at": "Timestamp(isAdjustedToUTC=true, timeUnit=milliseconds, ", "brand": "String", "objects": "JSON",
		"object": "JSON",
	}
	seen := 0
	for i := range meta.Schema.NumColumns() {
		c := meta.Schema.Column(i)
		if logical, ok := want[c.Name()]; ok {
			seen++
			if got := c.LogicalType().String(); !strings.HasPrefix(got, logical) {
				t.Errorf("column %s has type %s, want %s", c.Name(), got, logical)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d known columns in %s", seen, name)
	}
	sorted := meta.RowGroups[0].SortingColumns
	if len(sorted) != 1 || sorted[0].ColumnIdx != 0 || sorted[0].Descending {
		t.Errorf("%s has sorting columns %v, want the id", name, sorted)
	}
}
