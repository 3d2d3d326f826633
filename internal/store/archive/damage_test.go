// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// encoded returns the encoded files of rows and an entry for them.
func encoded(t testing.TB, shorts []Short, posts []Post) (shortsFile, postsFile []byte, seg *v1beta1.ArchiveSegment) {
	t.Helper()
	a, err1 := encode(shorts)
	b, err2 := encode(posts)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	e := entry(shorts, posts)
	return a, b, &e
}

// decoded returns all rows of a file.
func decoded[T any](t *testing.T, file []byte, count int32) ([]T, error) {
	t.Helper()
	return readFile[T](t.Context(), New(&inMemory{file: file}, 0), "key", count)
}

func TestRead_EveryTruncation(t *testing.T) {
	shorts, posts := few()
	a, b, seg := encoded(t, shorts, posts)
	for n := range a {
		if _, err := decoded[Short](t, a[:n], seg.Shorts); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: got %v, want ErrDamaged", n, len(a), err)
		}
	}
	for n := range b {
		if _, err := decoded[Post](t, b[:n], seg.Posts); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: got %v, want ErrDamaged", n, len(b), err)
		}
	}
}

// A file that is truncated after it was opened is damaged too.
func TestRead_TruncationAfterOpening(t *testing.T) {
	shorts, posts := sample(5, 100, 0)
	a, _, seg := encoded(t, shorts, posts)
	file := &inMemory{file: a}
	s := New(file, 100<<10) // the opened file and few blocks
	if _, err := s.file(t.Context(), "archive/acme/"+seg.Name+"/"+shortsFile, seg.Shorts); err != nil {
		t.Fatal(err)
	}
	file.file = a[:10]
	if _, err := s.ShortKeys(t.Context(), "acme", seg); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestRead_EveryAlteredByte(t *testing.T) {
	shorts, posts := few()
	a, _, seg := encoded(t, shorts, posts)
	for i := range a {
		bad := bytes.Clone(a)
		bad[i] ^= 1 << rand.IntN(8)
		if _, err := decoded[Short](t, bad, seg.Shorts); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d: got %v, want ErrDamaged", i, len(a), err)
		}
	}
}

// In a file of many blocks, calls that do not read the altered one return the right rows.
func TestReads_AlteredByteOfLargeFile(t *testing.T) {
	shorts, posts := sample(6, 600, 0)
	a, _, seg := encoded(t, shorts, posts)
	keys, _, texts := keysOfRows(shorts, nil)
	damage := 0
	for range 300 {
		bad, row := bytes.Clone(a), rand.IntN(len(shorts))
		at := rand.IntN(len(a))
		bad[at] ^= 1 << rand.IntN(8)
		s := New(&inMemory{file: bad}, 0)
		gotKeys, err1 := s.ShortKeys(t.Context(), "acme", seg)
		gotTexts, err2 := s.Texts(t.Context(), "acme", seg)
		gotShorts, err3 := s.Shorts(t.Context(), "acme", seg, []int{row})
		for _, c := range []struct {
			err       error
			got, want any
		}{{err1, gotKeys, keys}, {err2, gotTexts, texts}, {err3, gotShorts, []Short{shorts[row]}}} {
			if errors.Is(c.err, ErrDamaged) {
				damage++
			} else if c.err != nil || !reflect.DeepEqual(c.got, c.want) {
				t.Fatalf("byte %d of %d, row %d: got other rows, %v", at, len(a), row, c.err)
			}
		}
	}
	if damage == 0 || damage == 900 {
		t.Errorf("%d of 900 reads found damage", damage)
	}
}

// A file with the right checksums that another program wrote wrongly is damaged.
func TestRead_InvalidContent(t *testing.T) {
	shorts, posts := few()
	a, _, seg := encoded(t, shorts, posts)
	body, err1 := bodySize(a, int64(len(a)))
	footer, err2 := footerStart(a, int64(len(a)))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]span{"pages": {4, 400}, "footer": {footer, int64(len(a)) - endBytes}} {
		bad := bytes.Clone(a)
		for i := part.offset; i < part.end; i++ {
			bad[i] = 0xff
		}
		sealed, err := seal(append(bad[:body:body], bad[footer:]...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoded[Short](t, sealed, seg.Shorts); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want ErrDamaged", name, err)
		}
	}
}

func TestDecode_Errors(t *testing.T) {
	cause := errors.New("cause")
	for name, c := range map[string]struct {
		loading error
		decode  func() error
		want    error
		damage  bool
	}{
		"none":                       {nil, func() error { return nil }, nil, false},
		"invalid content":            {nil, func() error { return cause }, cause, true},
		"panic":                      {nil, func() error { panic("invalid") }, ErrDamaged, true},
		"store":                      {errStore, func() error { return cause }, errStore, false},
		"store, ignored by decoder":  {errStore, func() error { return nil }, errStore, false},
		"store, decoder then panics": {errStore, func() error { panic("no page") }, errStore, false},
	} {
		v := &view{key: "key", err: c.loading}
		if err := v.decode(c.decode); !errors.Is(err, c.want) || errors.Is(err, ErrDamaged) != c.damage {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A column of another type, or none, is damage.
func TestRead_OtherColumns(t *testing.T) {
	shorts, posts := few()
	a, b, seg := encoded(t, shorts, posts)
	if _, err := decoded[Post](t, a, seg.Shorts); !errors.Is(err, ErrDamaged) {
		t.Errorf("shorts as posts: got %v", err)
	}
	if _, err := decoded[Short](t, b, seg.Posts); !errors.Is(err, ErrDamaged) {
		t.Errorf("posts as shorts: got %v", err)
	}
	type other struct {
		Title int64 `parquet:"title"`
	}
	c, err := encode([]other{{1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decoded[Text](t, c, 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("a title of another type: got %v", err)
	}
}

func TestSeal_Layout(t *testing.T) {
	for _, body := range []int{4, 5, blockBytes - 1, blockBytes, blockBytes + 1, 3*blockBytes - sumBytes, 3 * blockBytes} {
		file := append(bytes.Repeat([]byte("b"), body), "footer\x06\x00\x00\x00PAR1"...)
		sealed, err := seal(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := bodySize(sealed[len(sealed)-endBytes:], int64(len(sealed)))
		if err != nil || n != int64(body) {
			t.Errorf("body of %d bytes: got %d, %v", body, n, err)
			continue
		}
		if l, err := parseTail(sealed[n:], int64(len(sealed))); err != nil || int64(len(l.sums)) != blocks(n) {
			t.Errorf("body of %d bytes: got %d checksums, %v", body, len(l.sums), err)
		}
	}
}
