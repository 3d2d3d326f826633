// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// written returns an archive with a page of two objects and a file.
func written(t *testing.T, change func(*Head)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := newWriter(&out, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	h := Head{Format: Format, ID: "b", By: "v9", SystemNamespace: "reelops-system"}
	if change != nil {
		change(&h)
	}
	doc := []byte("{\"kind\":\"Post\",\"apiVersion\":\"reelops.dev/v1beta1\"}\n{\"kind\":\"Post\",\"apiVersion\":\"reelops.dev/v1beta1\"}\n")
	if err := errors.Join(w.json(headName, h), w.add(pageName("Post", 1), int64(len(doc)), bytes.NewReader(doc)),
		w.add(filesName+"a/b.png", 3, strings.NewReader("png")), w.end(End{Files: 1})); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestArchive(t *testing.T) {
	objects, files := 0, map[string]string{}
	h, e, err := read(bytes.NewReader(written(t, nil)), func(kind string, doc []byte) error {
		some, err := unlines(doc)
		objects += len(some)
		if kind != "Post" {
			t.Errorf("got a page of %s", kind)
		}
		return err
	}, func(key string, size int64, r io.Reader) error {
		b, err := io.ReadAll(r)
		files[key] = string(b)
		if int64(len(b)) != size {
			t.Errorf("%s: got %d bytes, want %d", key, len(b), size)
		}
		return err
	})
	if err != nil || h.ID != "b" || e.Files != 1 || objects != 2 || files["a/b.png"] != "png" {
		t.Errorf("got %+v %+v %d %v %v", h, e, objects, files, err)
	}
}

func TestArchive_Truncated(t *testing.T) {
	whole := written(t, nil)
	for name, doc := range map[string][]byte{
		"empty":                  nil,
		"not an archive":         []byte("apiVersion: v1\n"),
		"cut":                    whole[:len(whole)/2],
		"truncated near the end": whole[:len(whole)-9],
	} {
		if _, _, err := read(bytes.NewReader(doc), nil, nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for i := 10; i < len(whole); i += 7 { // gzip has its own checksum: it detects any changed bit
		bad := bytes.Clone(whole)
		bad[i] ^= 4
		if _, _, err := read(bytes.NewReader(bad), nil, nil); err == nil {
			t.Errorf("a flipped bit in byte %d is not detected", i)
		}
	}
	if _, _, err := read(bytes.NewReader(written(t, func(h *Head) { h.Format = Format + 1 })), nil, nil); err == nil || !strings.Contains(err.Error(), "a later one") {
		t.Errorf("a newer format: got %v", err)
	}
}

func TestArchive_NewerFormat(t *testing.T) {
	var out bytes.Buffer
	w, err := newWriter(&out, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.json(headName, Head{Format: Format}), w.add("remarks.txt", 4, strings.NewReader("none")), w.end(End{})); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(&out, nil, func(key string, _ int64, _ io.Reader) error {
		t.Errorf("%s is accepted as a file of the store", key)
		return nil
	}); err != nil {
		t.Error(err)
	}
}
