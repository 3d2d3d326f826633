// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func (s *Sandbox) routes() {
	s.mux.HandleFunc("GET /{$}", s.page)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	s.mux.HandleFunc("GET /ledger", s.getLedger)
	s.mux.HandleFunc("POST /elsewhere", s.postElsewhere)
	s.mux.HandleFunc("DELETE /ledger/{platform}/{id}", s.takeDown)
	s.mux.HandleFunc("GET /calls", s.getCalls)
	s.mux.HandleFunc("GET /accounts", s.getAccounts)
	s.mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Faults()) })
	s.mux.HandleFunc("POST /faults", s.postFaults)
	s.mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /reset", s.postReset)
	s.mux.HandleFunc("GET /files/{id}", s.getFile)
	s.mux.HandleFunc("GET /avatars/{platform}/{file}", s.getAvatar)
}

// getLedger lists the posts that became public or reached an inbox. With ?all=true it includes private posts.
func (s *Sandbox) getLedger(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	out := []Landing{}
	for _, l := range s.Landed(q.Get("platform")) {
		if (l.Visibility != Private || q.Get("all") == "true") && (q.Get("account") == "" || q.Get("account") == l.Account) {
			out = append(out, l)
		}
	}
	writeJSON(w, http.StatusOK, out)
}

func (s *Sandbox) getCalls(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	out := []CallRecord{}
	for _, c := range s.Calls() {
		if (q.Get("platform") == "" || q.Get("platform") == c.Platform) && (q.Get("account") == "" || q.Get("account") == c.Account) &&
			(q.Get("call") == "" || q.Get("call") == c.Call) {
			out = append(out, c)
		}
	}
	writeJSON(w, http.StatusOK, out)
}

func (s *Sandbox) getAccounts(w http.ResponseWriter, _ *http.Request) {
	out := map[string][]Account{}
	for _, p := range s.mounted() {
		out[p] = s.Accounts(p)
	}
	writeJSON(w, http.StatusOK, out)
}

func (s *Sandbox) postFaults(w http.ResponseWriter, r *http.Request) {
	faults, err := readFaults(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		err = s.SetFaults(faults...)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": err.Error(), "calls": s.KnownCalls(), "do": append(append([]string{}, callFaults...), processingFaults...)})
		return
	}
	writeJSON(w, http.StatusOK, s.Faults())
}

func (s *Sandbox) postReset(w http.ResponseWriter, _ *http.Request) {
	if err := s.Reset(); err != nil {
		writeJSON(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// getFile serves a media file, with support for range requests.
func (s *Sandbox) getFile(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "" {
		http.NotFound(w, r)
		return
	}
	in, err := os.Open(filepath.Join(s.cfg.Dir, "files", id))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var first [512]byte
	n, _ := in.ReadAt(first[:], 0)
	w.Header().Set("Content-Type", http.DetectContentType(first[:n]))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", info.ModTime(), in)
}

func (s *Sandbox) getAvatar(w http.ResponseWriter, r *http.Request) {
	name, _ := strings.CutSuffix(r.PathValue("file"), ".svg")
	a, ok := s.AccountByName(r.PathValue("platform"), name)
	if !ok {
		http.NotFound(w, r)
		return
	}
	hue := 0
	for _, b := range []byte(a.Name) {
		hue = (hue*31 + int(b)) % 360
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="hsl(%d 55%% 45%%)"/>`+
		`<text x="48" y="64" font-family="system-ui,sans-serif" font-size="46" font-weight="600" text-anchor="middle" fill="#fff">%s</text></svg>`, hue, a.Display[:1])
}

func (s *Sandbox) mounted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.order...)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}
