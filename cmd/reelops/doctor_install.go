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
		return wrong(bad, "install Reelops, or set --system-namespace to its namespace", "no Deployment of: %s", strings.Join(missing, ", "))
	case len(waiting) > 0:
		return wrong(bad, "kubectl -n "+p.systemNamespace+" describe pods", "not all replicas are ready: %s", strings.Join(waiting, ", "))
	}
	if a, b := versionOf(p.manager), versionOf(p.front); a != b {
		return wrong(warning, "install the same version of both", "the manager has version %s, the reelops-apiserver has version %s", a, b)
	}
	return ok("manager and reelops-apiserver are ready, version %s", versionOf(p.manager))
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
		return wrong(bad, "the manager creates it at its start: check its log. After a restore, restore the Secret", "there is no Secret %s", keysecret.SigningSecret)
	case len(signing.Data[keysecret.SigningKey]) < 32:
		return wrong(bad, "store at least 32 random bytes there, and restart both programs", "the key %s of the Secret %s has fewer than 32 bytes", keysecret.SigningKey, keysecret.SigningSecret)
	}
	token, gone, err := p.secret(ctx, keysecret.TokenSecret)
	switch {
	case err != nil:
		return cannot(err)
	case gone:
		return wrong(bad, "restore it: without it, every social account has to be connected again", "there is no Secret %s", keysecret.TokenSecret)
	}
	if _, err := envelope.Parse(token.Data[keysecret.TokenKey]); err != nil {
		return wrong(bad, "restore it from a backup; each line must be 32 random bytes in base64", "the Secret %s contains no usable key", keysecret.TokenSecret)
	}
	return ok("the signing key and the token key are valid")
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
		return p.notHere("manager or the reelops-apiserver")
	}
	mine, other := mounted(p.manager, "signing-key-file"), mounted(p.front, "signing-key-file")
	if setting(p.manager, "key-secrets") == "true" {
		mine = keysecret.SigningSecret
	}
	if mine == "" || other == "" {
		return wrong(skipped, "", "one of the signing keys is not from a Secret")
	}
	if mine != other {
		return wrong(bad, "mount the same Secret into both: otherwise uploads, renders and links are rejected", "the manager signs with the Secret %s, the reelops-apiserver with %s", mine, other)
	}
	if mounted(p.front, "token-key-file") != "" {
		return wrong(bad, "remove the mount: only the manager may decrypt tokens", "the reelops-apiserver has the token key")
	}
	return ok("both sign with the Secret %s", mine)
}

func (p *patient) sameStore(context.Context) finding {
	if p.manager == nil || p.front == nil {
		return p.notHere("manager or the reelops-apiserver")
	}
	mine, other := setting(p.manager, "blob-url"), setting(p.front, "blob-url")
	if mine == "" || other == "" {
		return wrong(bad, "set --blob-url for both", "one of them has no blob store")
	}
	if mine != other {
		return wrong(bad, "set the same --blob-url for both", "the manager uses %s, the reelops-apiserver uses %s", storeOf(p.manager), storeOf(p.front))
	}
	if strings.HasPrefix(mine, "file:") && claimOf(p.manager, mine) != claimOf(p.front, mine) {
		return wrong(bad, "mount the same PersistentVolumeClaim into both", "both use %s, on different volumes", storeOf(p.front))
	}
	return ok("both use %s", storeOf(p.front))
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
		return p.notHere("reelops-apiserver")
	}
	body, err := p.proxyGet(ctx, p.front.Name, "http", "readyz")
	switch {
	case err == nil:
		return ok("the reelops-apiserver is ready and reaches the blob store")
	case strings.Contains(body, "not ready"):
		return wrong(bad, "check its log: the named service is unavailable or rejects it", "the reelops-apiserver reports: %s", strings.TrimSpace(body))
	}
	return wrong(skipped, "", "the reelops-apiserver could not be reached through the Kubernetes API server")
}

// callback checks whether the Service that render pods report to has ready endpoints.
func (p *patient) callback(ctx context.Context) finding {
	if p.manager == nil {
		return p.notHere("manager")
	}
	address := setting(p.manager, "callback-url")
	if address == "" {
		return wrong(bad, "set --callback-url to the Service of the reelops-apiserver's internal listener", "worker pods have no URL to report to")
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong(bad, "set --callback-url to the Service of the reelops-apiserver's internal listener", "--callback-url is not a valid URL")
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
		return wrong(bad, "check the Service "+service+" and the pods of the reelops-apiserver", "no ready endpoint at %s: renders complete late, because only their pods report the outcome", address)
	}
	return ok("%s has %d ready endpoints", address, n)
}

func (p *patient) renderer(context.Context) finding {
	if p.manager == nil {
		return p.notHere("manager")
	}
	image := setting(p.manager, "renderer-image")
	if image == "" {
		return wrong(bad, "set --renderer-image", "no image is configured")
	}
	return ok("image %s", image)
}

func (p *patient) platforms(context.Context) finding {
	if p.manager == nil || p.front == nil {
		return p.notHere("manager or the reelops-apiserver")
	}
	if setting(p.manager, "sandbox") != "" {
		return wrong(warning, "remove --sandbox to publish on the platforms", "a sandbox replaces all platforms: nothing is published")
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
		return wrong(bad, "set the same client id for the manager and the reelops-apiserver", "the client ids differ: %s", strings.Join(parted, ", "))
	case len(there) == 0:
		return wrong(warning, "create an app on each platform and set its client id and secret: see docs/operations/install.md", "no platform has an app: no account can be connected")
	case len(missing) > 0:
		return ok("configured: %s; not configured: %s", strings.Join(there, ", "), strings.Join(missing, ", "))
	}
	return ok("all have an app")
}

// ceilings checks whether several front ends share their rate limit counts.
func (p *patient) ceilings(ctx context.Context) finding {
	if p.front == nil {
		return p.notHere("reelops-apiserver")
	}
	shared := setting(p.front, "redis-url") != ""
	if !shared {
		if n := p.front.Spec.Replicas; n != nil && *n > 1 {
			return wrong(warning, "set --redis-url", "%d replicas of the reelops-apiserver count rate limits separately: each key gets its limits once per replica", *n)
		}
		return ok("counted by the only replica of the reelops-apiserver")
	}
	body, err := p.proxyGet(ctx, p.front.Name+"-metrics", "metrics", "metrics")
	if err != nil {
		return wrong(skipped, "", "the metrics of the reelops-apiserver could not be read through the Kubernetes API server")
	}
	if strings.Contains(body, "\nreelops_ratelimit_shared_up 0") {
		return wrong(bad, "check Redis and the network policy; each replica counts separately until then", "Redis does not answer the reelops-apiserver")
	}
	return ok("shared in Redis, which responds")
}
