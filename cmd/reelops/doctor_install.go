// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/envelope"
)

// notHere returns the finding for a program that does not run in the cluster.
func (p *patient) notHere(part string) finding {
	if p.unseen != nil {
		return cannot(p.unseen)
	}
	return wrong(skipped, "", "there is no Deployment of the %s in the namespace", part)
}

func (p *patient) programs(context.Context) finding {
	if p.unseen != nil {
		return cannot(p.unseen)
	}
	var missing, waiting []string
	for part, d := range map[string]*appsv1.Deployment{"manager": p.manager, "apiserver": p.front} {
		switch {
		case d == nil:
			missing = append(missing, part)
		case d.Status.ReadyReplicas == 0 || d.Spec.Replicas != nil && d.Status.ReadyReplicas < *d.Spec.Replicas:
			waiting = append(waiting, fmt.Sprintf("%s (%d ready)", part, d.Status.ReadyReplicas))
		}
	}
	switch {
	case len(missing) > 0:
		return wrong(bad, "install Reelops, or name its namespace by --system-namespace", "no Deployment of: %s", strings.Join(missing, ", "))
	case len(waiting) > 0:
		return wrong(bad, "kubectl -n "+p.systemNamespace+" describe pods", "not all replicas are ready: %s", strings.Join(waiting, ", "))
	}
	if a, b := versionOf(p.manager), versionOf(p.front); a != b {
		return wrong(warning, "give both the same version; they speak to each other through objects", "the manager is of %s, the front end of %s", a, b)
	}
	return ok("manager and front end of %s are ready", versionOf(p.manager))
}

// versionOf returns the tag or digest of a program's image.
func versionOf(d *appsv1.Deployment) string {
	name := path.Base(containerOf(d).Image)
	if _, digest, ok := strings.Cut(name, "@"); ok {
		return digest
	}
	if _, tag, ok := strings.Cut(name, ":"); ok {
		return tag
	}
	return "latest"
}

// keys checks that the keys exist and are well-formed, without revealing them.
func (p *patient) keys(ctx context.Context) finding {
	signing, gone, err := p.secret(ctx, keysecret.SigningSecret)
	switch {
	case err != nil:
		return cannot(err)
	case gone:
		return wrong(bad, "the manager makes it at its start: see its log. After a restore, restore the Secret", "there is no Secret %s", keysecret.SigningSecret)
	case len(signing.Data[keysecret.SigningKey]) < 32:
		return wrong(bad, "put at least 32 random bytes there, and restart both programs", "the key %s of the Secret %s has fewer than 32 bytes", keysecret.SigningKey, keysecret.SigningSecret)
	}
	token, gone, err := p.secret(ctx, keysecret.TokenSecret)
	switch {
	case err != nil:
		return cannot(err)
	case gone:
		return wrong(bad, "restore it: without it every account has to be connected again", "there is no Secret %s", keysecret.TokenSecret)
	}
	if _, err := envelope.Parse(token.Data[keysecret.TokenKey]); err != nil {
		return wrong(bad, "each line is the base64 of 32 random bytes; restore it from a backup", "the Secret %s holds no key that can be used", keysecret.TokenSecret)
	}
	return ok("the keys that sign and that seal tokens are there")
}

// mounted returns the Secret from which the file of a flag is mounted; empty if there is none.
func mounted(d *appsv1.Deployment, flag string) string {
	file := setting(d, flag)
	for _, m := range containerOf(d).VolumeMounts {
		if file == "" || !strings.HasPrefix(file, strings.TrimSuffix(m.MountPath, "/")+"/") {
			continue
		}
		for _, v := range d.Spec.Template.Spec.Volumes {
			if v.Name == m.Name && v.Secret != nil {
				return v.Secret.SecretName
			}
		}
	}
	return ""
}

func (p *patient) sameKeys(context.Context) finding {
	if p.manager == nil || p.front == nil {
		return p.notHere("manager or the front end")
	}
	mine, other := mounted(p.manager, "signing-key-file"), mounted(p.front, "signing-key-file")
	if setting(p.manager, "key-secrets") == "true" {
		mine = keysecret.SigningSecret
	}
	if mine == "" || other == "" {
		return wrong(skipped, "", "the signing key of one of them is not from a Secret")
	}
	if mine != other {
		return wrong(bad, "mount the same Secret into both: else no upload, render or link is accepted", "the manager signs with %s, the front end with %s", mine, other)
	}
	if mounted(p.front, "token-key-file") != "" {
		return wrong(bad, "take the mount away: only the manager may open tokens", "the front end has the key that seals tokens")
	}
	return ok("both sign with %s", mine)
}

func (p *patient) sameStore(context.Context) finding {
	if p.manager == nil || p.front == nil {
		return p.notHere("manager or the front end")
	}
	mine, other := setting(p.manager, "blob-url"), setting(p.front, "blob-url")
	if mine == "" || other == "" {
		return wrong(bad, "set --blob-url for both", "there is no store for one of them")
	}
	if mine != other {
		return wrong(bad, "set the same --blob-url for both", "the manager stores in %s, the front end in %s", storeOf(p.manager), storeOf(p.front))
	}
	if strings.HasPrefix(mine, "file:") && claimOf(p.manager, mine) != claimOf(p.front, mine) {
		return wrong(bad, "mount the same claim into both", "both store in %s, on different volumes", storeOf(p.front))
	}
	return ok("both store in %s", storeOf(p.front))
}

// claimOf returns the PersistentVolumeClaim that holds a folder store; empty if there is none.
func claimOf(d *appsv1.Deployment, store string) string {
	folder := strings.TrimPrefix(store, "file://")
	for _, m := range containerOf(d).VolumeMounts {
		if folder != m.MountPath && !strings.HasPrefix(folder, strings.TrimSuffix(m.MountPath, "/")+"/") {
			continue
		}
		for _, v := range d.Spec.Template.Spec.Volumes {
			if v.Name == m.Name && v.PersistentVolumeClaim != nil {
				return v.PersistentVolumeClaim.ClaimName
			}
		}
	}
	return ""
}

// serves calls the front end's /readyz, which checks its cache and its store.
func (p *patient) serves(ctx context.Context) finding {
	if p.front == nil {
		return p.notHere("front end")
	}
	body, err := p.proxyGet(ctx, p.front.Name, "http", "readyz")
	switch {
	case err == nil:
		return ok("it says that it is ready, store included")
	case strings.Contains(body, "not ready"):
		return wrong(bad, "what it names is away or refuses it: see its log", "the front end says: %s", strings.TrimSpace(body))
	}
	return wrong(skipped, "", "the front end could not be asked through the API server")
}

// callback checks whether the Service that render pods report to has ready endpoints.
func (p *patient) callback(ctx context.Context) finding {
	if p.manager == nil {
		return p.notHere("manager")
	}
	address := setting(p.manager, "callback-url")
	if address == "" {
		return wrong(bad, "set --callback-url to the Service of the front end's internal listener", "render pods are told nowhere to report to")
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong(bad, "set --callback-url to the Service of the front end's internal listener", "the callback's address cannot be read")
	}
	service, _, _ := strings.Cut(u.Hostname(), ".")
	var slices discoveryv1.EndpointSliceList
	if err := p.client.List(ctx, &slices, client.InNamespace(p.systemNamespace), client.MatchingLabels{discoveryv1.LabelServiceName: service}); err != nil {
		return cannot(err)
	}
	n := 0
	for _, s := range slices.Items {
		for _, e := range s.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				n++
			}
		}
	}
	if n == 0 {
		return wrong(bad, "see the Service "+service+" and the front end's pods", "nobody answers at %s: renders end late, by what their pods leave behind", address)
	}
	return ok("%s leads to %d front ends", address, n)
}

func (p *patient) renderer(context.Context) finding {
	if p.manager == nil {
		return p.notHere("manager")
	}
	image := setting(p.manager, "renderer-image")
	if image == "" {
		return wrong(bad, "set --renderer-image", "no image renders")
	}
	return ok("%s renders", image)
}

func (p *patient) platforms(context.Context) finding {
	if p.manager == nil || p.front == nil {
		return p.notHere("manager or the front end")
	}
	if setting(p.manager, "sandbox") != "" {
		return wrong(warning, "take --sandbox away to publish for real", "a sandbox stands in for all platforms: nothing is published")
	}
	var there, missing, parted []string
	for _, name := range catalog.Platforms() {
		mine, other := setting(p.manager, name+"-client-id"), setting(p.front, name+"-client-id")
		switch {
		case mine != other:
			parted = append(parted, name)
		case mine == "":
			missing = append(missing, name)
		default:
			there = append(there, name)
		}
	}
	switch {
	case len(parted) > 0:
		return wrong(bad, "give manager and front end the same client id", "the two have different apps: %s", strings.Join(parted, ", "))
	case len(there) == 0:
		return wrong(warning, "make an app at each platform and set its client id and secret: docs/operations/install.md", "none has an app: no account can be connected")
	case len(missing) > 0:
		return ok("apps of %s; none of %s", strings.Join(there, ", "), strings.Join(missing, ", "))
	}
	return ok("all have an app")
}

// ceilings checks whether several front ends share their rate limit counts.
func (p *patient) ceilings(ctx context.Context) finding {
	if p.front == nil {
		return p.notHere("front end")
	}
	shared := setting(p.front, "redis-url") != ""
	if !shared {
		if n := p.front.Spec.Replicas; n != nil && *n > 1 {
			return wrong(warning, "set --redis-url", "%d front ends count ceilings each for itself: a key may make that many times as many requests", *n)
		}
		return ok("one front end counts for itself")
	}
	body, err := p.proxyGet(ctx, p.front.Name+"-metrics", "metrics", "metrics")
	if err != nil {
		return wrong(skipped, "", "the front end's metrics could not be asked for through the API server")
	}
	if strings.Contains(body, "\nreelops_ratelimit_shared_up 0") {
		return wrong(bad, "see Redis and the network policy between; calls are served meanwhile", "Redis does not answer the front end")
	}
	return ok("shared in Redis, which answers")
}
