// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/callback"
)

// state is the status that a front end reports.
type state struct {
	URL     string `json:"url,omitempty"`
	Control string `json:"control,omitempty"`
	Shorts  int    `json:"shorts"`
	// Heap in bytes, after a collection.
	Heap uint64 `json:"heap"`
}

// serve runs a front end: the packages that cmd/apiserver uses, with its cache and its log, and with rate limits high
// enough not to matter. With --fill, its index is filled with shorts that no cluster has.
func serve(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	kubeconfig := f.String("kubeconfig", "", "")
	fill := f.Int("fill", 0, "")
	folder := f.String("folder", "", "")
	if err := f.Parse(args); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctrllog.SetLogger(logr.FromSlogHandler(log.Handler()))
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1 // as in cmd/apiserver
	access, err := apiserver.Connect(ctx, config, "reelops-system", nil, nil)
	if err != nil {
		return err
	}
	public, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	key := []byte("0123456789abcdef0123456789abcdef")
	url := "http://" + public.Addr().String()
	store, err := blob.Open(ctx, blob.Config{URL: "file://" + *folder, SigningKey: key, BaseURL: url})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	signer, err := callback.NewSigner(key)
	if err != nil {
		return err
	}
	ceilings := limit.Default()
	if err := ceilings.Set("global=10000000/1s"); err != nil {
		return err
	}
	server, err := apiserver.New(apiserver.Config{
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts, Archives: access.Archives, Synced: access.Synced, Store: store, Signer: signer,
		KeyPrefix: apikey.DefaultPrefix, BaseURL: url, Clock: clock.RealClock{}, Log: log, Limits: limit.New(ceilings, clock.RealClock{}),
		NextShort: func(context.Context) (int64, error) { return 0, errors.New("this server creates nothing") },
	})
	if err != nil {
		return err
	}
	go func() { _ = access.Start(ctx) }()
	for !access.Synced() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	now := func() state {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return state{URL: url, Control: "http://" + control.Addr().String(), Shorts: access.Index.Len(), Heap: m.HeapAlloc}
	}
	empty := now()
	if err := fillWith(access.Index, *fill); err != nil {
		return err
	}
	for _, s := range []state{empty, now()} { // the parent process waits for these lines
		if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
			return err
		}
	}
	m := http.NewServeMux()
	m.HandleFunc("/state", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(now()) })
	m.HandleFunc("/profile", pprof.Profile)
	go func() { _ = http.Serve(control, m) }()
	go func() { _ = http.Serve(public, server.Public()) }()
	// Stop when the parent process ends and closes the pipe.
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// fillWith puts shorts into the index in the form in which the cache holds them.
func fillWith(x *index.Shorts, n int) error {
	shows, renders := x.Slideshows(), x.RenderJobs()
	for i := range n {
		show := sample(i)
		render := sampleRender(i, show)
		if _, err := read.Trim(show); err != nil {
			return err
		}
		shows.OnAdd(show, true)
		if render != nil {
			if _, err := read.Trim(render); err != nil {
				return err
			}
			renders.OnAdd(render, true)
		}
	}
	if x.Len() != n {
		return fmt.Errorf("the index holds %d shorts, not %d", x.Len(), n)
	}
	return nil
}
