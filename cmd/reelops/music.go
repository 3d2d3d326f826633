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
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/blob/clouds"
	"github.com/reelops/reelops/internal/blobkey"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/ids"
	"github.com/reelops/reelops/internal/sniff"
)

// track is what `music add` is told.
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

func (a *admin) musicCommand() *cobra.Command {
	var t track
	add := &cobra.Command{
		Use: "add [FILE]", Short: "Bring a piece of background music", Args: cobra.MaximumNArgs(1),
		Long: "Bring a piece of background music: MP3, AAC, M4A, WAV, FLAC or Ogg, at most 15 minutes.\n\n" +
			"Either FILE, which is put into the blob store and needs --blob-url as the manager has it; or --url, from where it is\n" +
			"fetched once over https; or --blob-key, where the file is in the store already.",
		Example: "  reelops music add jingle.mp3 --account acme --brand coffee --title Jingle --mood happy\n" +
			"  reelops music add --url https://example.com/calm.flac --account acme --title Calm --license 'CC BY 4.0' --attribution-required",
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			return a.addMusic(cmd.Context(), t, file)
		},
	}
	f := add.Flags()
	f.StringVar(&t.account, "account", "", "account that may use it")
	f.BoolVar(&t.forAll, "all-accounts", false, "every account may use it, instead of --account")
	f.StringVar(&t.library, "library-namespace", "", "with --all-accounts: namespace of what every account sees, as the manager has it (default: the system namespace)")
	f.StringVar(&t.brand, "brand", "", "only this brand of the account may use it")
	f.StringVar(&t.title, "title", "", "title for people; default: the name of the file")
	f.StringVar(&t.artist, "artist", "", "who made it")
	f.StringVar(&t.genre, "genre", "", "in a word or two")
	f.StringSliceVar(&t.moods, "mood", nil, "what it suits; several are separated by commas")
	f.Int32Var(&t.bpm, "bpm", 0, "beats a minute")
	f.StringVar(&t.license, "license", "", "licence, such as CC BY 4.0")
	f.StringVar(&t.licenseURL, "license-url", "", "the licence's text")
	f.BoolVar(&t.attribution, "attribution-required", false, "the licence asks to name the artist")
	f.StringVar(&t.url, "url", "", "fetch it from here, over https")
	f.StringVar(&t.blobKey, "blob-key", "", "take this object of the blob store: imports/ACCOUNT/... or imports/shared/...")
	f.StringVar(&t.blobURL, "blob-url", os.Getenv("REELOPS_BLOB_URL"), "blob store that FILE is put into; default: $REELOPS_BLOB_URL")
	return group("music", "Background music", add)
}

// addMusic makes a MusicTrack. A file goes into the store first, under a name that follows from what is in it: a second try
// finds it there.
func (a *admin) addMusic(ctx context.Context, t track, file string) error {
	if err := t.check(file); err != nil {
		return err
	}
	namespace := t.account
	if t.forAll {
		if namespace = t.library; namespace == "" {
			namespace = a.systemNamespace
		}
	} else if err := a.mustExist(ctx, namespace, v1beta1.AccountName, &v1beta1.Account{}, fmt.Sprintf("there is no account %q: make it with `account create`", namespace)); err != nil {
		return err
	}
	if t.brand != "" {
		if err := a.mustExist(ctx, namespace, t.brand, &v1beta1.Brand{}, fmt.Sprintf("there is no brand %q in the account %q", t.brand, namespace)); err != nil {
			return err
		}
	}
	if file != "" {
		key, err := putTrack(ctx, t.blobURL, namespace, file)
		if err != nil {
			return err
		}
		t.blobKey = key
	} else if t.blobKey != "" {
		if err := blobkey.Permit(namespace, t.blobKey); err != nil {
			return fmt.Errorf("--blob-key: %w", err)
		}
	}
	id, err := a.ids.Next(ctx, ids.Tracks)
	if err != nil {
		return err
	}
	o := &v1beta1.MusicTrack{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "track-" + strconv.FormatInt(id, 10), Finalizers: []string{v1beta1.FinalizerMusicTrack},
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)},
		},
		Spec: t.spec(),
	}
	if err := a.client.Create(ctx, o); apierrors.IsNotFound(err) {
		return fmt.Errorf("there is no namespace %q", namespace)
	} else if err != nil {
		return explained(err)
	}
	return a.print(map[string]any{"id": id, "name": o.Name, "namespace": namespace, "title": o.Spec.Title, "blob_key": t.blobKey},
		fmt.Sprintf("track %q is made (id %d); when it is ready: kubectl get musictrack %s -n %s", o.Spec.Title, id, o.Name, namespace))
}

// check refuses what contradicts itself, and fills in the title.
func (t *track) check(file string) error {
	given := 0
	for _, s := range []string{file, t.url, t.blobKey} {
		if s != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give exactly one of FILE, --url and --blob-key")
	case (t.account != "") == t.forAll:
		return errors.New("give either --account or --all-accounts")
	case t.forAll && t.brand != "":
		return errors.New("--brand goes with --account: what every account has belongs to no brand")
	case t.license == "" && (t.licenseURL != "" || t.attribution):
		return errors.New("--license-url and --attribution-required need --license")
	case t.bpm < 0 || t.bpm > 400:
		return errors.New("--bpm is 1 to 400")
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

// putTrack puts a file of music into the store and gives its key.
func putTrack(ctx context.Context, store, namespace, file string) (string, error) {
	if store == "" {
		return "", errors.New("a file needs --blob-url or $REELOPS_BLOB_URL, the blob store of the installation; or give --url")
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
		return "", fmt.Errorf("%s is no MP3, AAC, M4A, WAV, FLAC or Ogg file", file)
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
	// Nothing is signed here: a folder store is given a key that nobody knows.
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
