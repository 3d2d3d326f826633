// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
	"github.com/reelops/reelops/internal/store/blobkey"
)

// track holds the flags of `music add`.
type track struct {
	account, brand, library string
	title, artist, genre    string
	moods                   []string
	bpm                     int32
	license, licenseURL     string
	attribution             bool
	url, blobKey, blobURL   string
	forAll                  bool
}

func newMusicAddCommand(f *factory) *cobra.Command {
	var t track
	c := &cobra.Command{
		Use: "add [FILE]", Short: "Add a piece of background music", Args: cobra.MaximumNArgs(1),
		Long: "Add a piece of background music: MP3, AAC, M4A, WAV, FLAC or Ogg, at most 15 minutes.\n\n" +
			"Give exactly one source: FILE is stored in the blob store and needs --blob-url as the manager has it; --url is downloaded once over https;\n" +
			"--blob-key names a file that is already in the blob store.",
		Example: examples("music add jingle.mp3 --account acme --brand coffee --title Jingle --mood happy",
			"music add --url https://example.com/calm.flac -n acme --title Calm --license 'CC BY 4.0' --attribution-required"),
	}
	account := addAccount(f, c, "Account whose brands may use the track")
	flags := c.Flags()
	flags.BoolVar(&t.forAll, "all-accounts", false, "Add the track to the library of all accounts, instead of --account")
	flags.StringVar(&t.library, "library-namespace", "", "With --all-accounts: namespace of the shared library, as the manager has it; default: the system namespace")
	flags.StringVar(&t.brand, "brand", "", "Limit the track to this brand of the account")
	flags.StringVar(&t.title, "title", "", "Display title; default: the name of the file")
	flags.StringVar(&t.artist, "artist", "", "Artist")
	flags.StringVar(&t.genre, "genre", "", "Genre, in one or two words")
	flags.StringSliceVar(&t.moods, "mood", nil, "Comma-separated moods")
	flags.Int32Var(&t.bpm, "bpm", 0, "Beats per minute, from 1 to 400")
	flags.StringVar(&t.license, "license", "", "Licence, such as CC BY 4.0")
	flags.StringVar(&t.licenseURL, "license-url", "", "URL of the licence's text")
	flags.BoolVar(&t.attribution, "attribution-required", false, "The licence requires naming the artist")
	flags.StringVar(&t.url, "url", "", "Download the file from this https URL")
	flags.StringVar(&t.blobKey, "blob-key", "", "Use this object of the blob store: imports/ACCOUNT/... or imports/shared/...")
	flags.StringVar(&t.blobURL, "blob-url", os.Getenv("REELOPS_BLOB_URL"), "Blob store that FILE is stored in; default: $REELOPS_BLOB_URL")
	completeFlag(c, "brand", account.brands())
	completeFlag(c, "library-namespace", f.namespaces())
	c.ValidArgsFunction = files("mp3", "aac", "m4a", "wav", "flac", "ogg")
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (_ *result, err error) {
		if t.account, err = account.given(); err != nil {
			return nil, err
		}
		file := ""
		if len(args) == 1 {
			file = args[0]
		}
		return a.addMusic(ctx, t, file)
	})
}

// addMusic creates a MusicTrack. A file is stored first, under a key derived from its hash, so a second run stores the
// same key.
func (a *admin) addMusic(ctx context.Context, t track, file string) (*result, error) {
	if err := t.check(file); err != nil {
		return nil, err
	}
	namespace := t.account
	if t.forAll {
		if namespace = t.library; namespace == "" {
			namespace = a.systemNamespace
		}
	} else if err := a.accountMustExist(ctx, namespace); err != nil {
		return nil, err
	}
	if t.brand != "" {
		if err := a.brandMustExist(ctx, namespace, t.brand); err != nil {
			return nil, err
		}
	}
	if file != "" {
		key, err := putTrack(ctx, t.blobURL, namespace, file)
		if err != nil {
			return nil, err
		}
		t.blobKey = key
	} else if t.blobKey != "" {
		if err := blobkey.Permit(namespace, t.blobKey); err != nil {
			return nil, usagef("--blob-key: %w", err)
		}
	}
	id, err := a.ids.Next(ctx, ids.Tracks)
	if err != nil {
		return nil, err
	}
	o := &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "track-" + strconv.FormatInt(id, 10), Finalizers: []string{v1beta1.FinalizerMusicTrack},
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)},
		},
		Spec: t.spec(),
	}
	if err := a.client.Create(ctx, o); apierrors.IsNotFound(err) {
		return nil, notFoundf("there is no namespace %q", namespace)
	} else if err != nil {
		return nil, err
	}
	return &result{
		object: o, fields: map[string]any{"id": id, "name": o.Name, "namespace": namespace, "title": o.Spec.Title, "blob_key": t.blobKey},
		text: fmt.Sprintf("track %q created (id %d); `kubectl get musictrack %s -n %s` shows when it is ready", o.Spec.Title, id, o.Name, namespace),
	}, nil
}

// check returns an error if the flags contradict each other, and sets the default title.
func (t *track) check(file string) error {
	given := 0
	for _, s := range []string{file, t.url, t.blobKey} {
		if s != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return usagef("give exactly one of FILE, --url and --blob-key")
	case (t.account != "") == t.forAll:
		return usagef("give either --account or --all-accounts")
	case t.forAll && t.brand != "":
		return usagef("--brand needs --account: tracks of the library belong to no brand")
	case t.license == "" && (t.licenseURL != "" || t.attribution):
		return usagef("--license-url and --attribution-required need --license")
	case t.bpm < 0 || t.bpm > 400:
		return usagef("--bpm must be from 1 to 400")
	}
	if t.title == "" {
		from := file + t.url + t.blobKey
		t.title = strings.TrimSuffix(filepath.Base(from), filepath.Ext(from))
	}
	return nil
}

func (t *track) spec() v1beta1.MusicTrackSpec {
	out := v1beta1.MusicTrackSpec{Title: t.title, Artist: t.artist, Genre: t.genre, Moods: t.moods}
	if t.brand != "" {
		out.BrandRef = &v1beta1.LocalRef{Name: t.brand}
	}
	if t.bpm > 0 {
		out.BPM = &t.bpm
	}
	if t.license != "" {
		out.License = &v1beta1.MusicLicense{Name: t.license, URL: t.licenseURL, AttributionRequired: t.attribution}
	}
	if t.url != "" {
		out.Source.URL = &t.url
	} else {
		out.Source.BlobKey = &t.blobKey
	}
	return out
}

// putTrack stores a music file in the blob store and returns its key.
func putTrack(ctx context.Context, store, namespace, file string) (string, error) {
	if store == "" {
		return "", usagef("FILE needs --blob-url or $REELOPS_BLOB_URL, the blob store of the installation; or set --url")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, sniff.Bytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	contentType := sniff.Audio(head[:n])
	if contentType == "" {
		return "", fmt.Errorf("%s is not an MP3, AAC, M4A, WAV, FLAC or Ogg file", file)
	}
	if info, err := f.Stat(); err != nil || info.Size() > catalog.MaxTrackBytes {
		return "", errors.Join(err, fmt.Errorf("%s is larger than %d bytes", file, catalog.MaxTrackBytes))
	}
	sum := sha256.New()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	// No URL is signed here, so any key suffices.
	key := make([]byte, blob.MinSigningKey)
	_, _ = rand.Read(key)
	s, err := blob.Open(ctx, blob.Config{URL: store, SigningKey: key, BaseURL: "http://localhost", Cloud: clouds.Stores{}})
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }()
	to := "imports/" + namespace + "/" + hex.EncodeToString(sum.Sum(nil)) + sniff.Extension(contentType)
	return to, s.Put(ctx, to, contentType, f)
}
