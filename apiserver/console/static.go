// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// dist has the page as `make build` writes it. Without that it is empty but for a placeholder.
//
//go:embed all:dist
var dist embed.FS

func built() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // of a constant
	}
	return sub
}

// manifest lists the files that the shell loads.
type manifest struct {
	Scripts []string `json:"scripts"`
	Styles  []string `json:"styles"`
}

// page is the built page.
type page struct {
	built  *manifest // nil if the page is not built
	assets map[string]*asset
}

// asset is a file with its compressed form, which is computed at its first use.
type asset struct {
	kind   string
	plain  []byte
	zipped func() []byte // returns nil if the compressed file is not smaller
}

// The page has no inline scripts and styles: its Content-Security-Policy refuses them.
var shell = template.Must(template.New("shell").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="reelops-media-origins" content="{{.Store}}">
<meta name="reelops-avatar-origins" content="{{.Avatars}}">
<title>Reelops</title>
<link rel="icon" href="/console/assets/icon.svg" type="image/svg+xml">
{{- range .Styles}}
<link rel="stylesheet" href="/console/{{.}}">
{{- end}}
{{- range .Scripts}}
<script type="module" src="/console/{{.}}"></script>
{{- end}}
</head>
<body>
<div id="root"></div>
<noscript>The console of Reelops needs JavaScript.</noscript>
</body>
</html>
`))

// notice is a page without scripts.
var notice = template.Must(template.New("notice").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} - Reelops</title>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Message}}</p>
{{- if .SignIn}}
<p><a href="{{.SignIn}}">Sign in</a></p>
{{- end}}
</body>
</html>
`))

// icon is the icon of the page.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">` +
	`<rect x="7" y="2" width="18" height="28" rx="4" fill="#4f46e5"/><path d="M13 10.5v11l9-5.5z" fill="#fff"/></svg>`

// newPage reads the built page.
func newPage(files fs.FS) (*page, error) {
	p := &page{assets: map[string]*asset{"assets/icon.svg": newAsset("image/svg+xml", []byte(icon))}}
	doc, err := fs.ReadFile(files, "manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	var m manifest
	if err == nil {
		err = json.Unmarshal(doc, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the manifest of the console: %w", err)
	}
	p.built = &m
	err = fs.WalkDir(files, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		plain, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		p.assets[name] = newAsset(kindOf(name), plain)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the files of the console: %w", err)
	}
	return p, nil
}

func newAsset(kind string, plain []byte) *asset {
	return &asset{kind: kind, plain: plain, zipped: sync.OnceValue(func() []byte {
		var out bytes.Buffer
		z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			return nil
		}
		if _, err := z.Write(plain); err != nil || z.Close() != nil || out.Len() >= len(plain) {
			return nil
		}
		return out.Bytes()
	})}
}

// kindOf returns the media type of a file. It does not depend on the machine's list of types.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	case ".svg":
		return "image/svg+xml"
	case ".map", ".json":
		return "application/json"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// isPage reports whether the path is one that the page itself routes.
func isPage(p string) bool {
	return p == Path || strings.HasPrefix(p, Path+"/") && !strings.Contains(p, ".")
}

// serveShell serves the page at every path that it routes.
func (h *Handler) serveShell(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		h.page.message(w, http.StatusMethodNotAllowed, "Method not allowed", "Open the console in a browser.", "")
	case !isPage(r.URL.Path):
		h.page.message(w, http.StatusNotFound, "Page not found", "The console has no such page.", "")
	case h.page.built == nil:
		w.Header().Set("Cache-Control", "no-cache")
		h.page.message(w, http.StatusServiceUnavailable, "The console is not built",
			"This program was built without the console. Run `make build`, which needs Node.js, and start it again.", "")
	default:
		var out bytes.Buffer
		err := shell.Execute(&out, struct {
			*manifest
			// The page loads files of no other origins than its own and these.
			Store, Avatars string
		}{h.page.built, h.store(r.Context()), strings.Join(h.AvatarSources, " ")})
		if err != nil {
			http.Error(w, "The page could not be created.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(out.Bytes()))
	}
}

// serveAsset serves a file of the page. Its name has a hash of its content, so it never changes.
func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, Path+"/")
	a := h.page.assets[name]
	if a == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.page.message(w, http.StatusNotFound, "File not found", "The console has no such file. Reload the page.", "")
		return
	}
	head := w.Header()
	head.Set("Content-Type", a.kind)
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	if name == "assets/icon.svg" { // the only name without a hash
		head.Set("Cache-Control", "public, max-age=86400")
	}
	head.Add("Vary", "Accept-Encoding")
	doc := a.plain
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		if zipped := a.zipped(); zipped != nil {
			head.Set("Content-Encoding", "gzip")
			doc = zipped
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc))
}

// acceptsGzip reports whether a client accepts a response in gzip.
func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(one, ";")
		if strings.TrimSpace(name) == "gzip" {
			q := strings.ReplaceAll(params, " ", "")
			return q != "q=0" && !strings.HasPrefix(q, "q=0.0")
		}
	}
	return false
}

// message shows a page with a sentence, and with a link to the address signIn unless it is empty.
func (p *page) message(w http.ResponseWriter, status int, title, message, signIn string) {
	var out bytes.Buffer
	err := notice.Execute(&out, struct{ Title, Message, SignIn string }{title, message, signIn})
	if err != nil {
		http.Error(w, title, status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}
