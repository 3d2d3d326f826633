// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
)

// Service holds the dependencies of the operations.
type Service struct {
	Reader *read.Reader
	// Client writes to the cluster. Reads through Reader include its writes.
	Client client.Client
	// Live writes kinds that are not cached: Client would start a watch for them.
	Live client.Client
	// Ahead returns by how much Clock is ahead of the API server's clock; nil if that is not measured.
	Ahead func() time.Duration
	// NextShort reserves a short id.
	NextShort func(context.Context) (int64, error)
	// NextMedia reserves a media id.
	NextMedia func(context.Context) (int64, error)
	// NextPack reserves the id of a media pack.
	NextPack func(context.Context) (int64, error)
	// NextAutomation reserves an id of an automation or of a manual run.
	NextAutomation func(context.Context) (int64, error)
	// NextWebhook reserves the id of a webhook.
	NextWebhook func(context.Context) (int64, error)
	// NextPost and NextBatch reserve the ids of posts and of their batches.
	NextPost, NextBatch func(context.Context) (int64, error)
	// Store stores uploads. Uploads seals their declarations.
	Store   *blob.Store
	Uploads *upload.Sealer
	// Ledger reserves the quota of accepted slideshows and videos.
	Ledger *ledger.Book
	// Meter measures the stored data of accounts; nil means no limit.
	Meter *quota.Meter
	// AIImages describes the installation's AI images.
	AIImages catalog.AIImages
	// TextModel reports whether a language model writes the texts; otherwise the offline writer does.
	TextModel bool
	// Voices are the available voices. The zero value means those of the package.
	Voices voices.Set
	// Missing returns the settings that the installation lacks for a platform; nil means that all platforms are
	// configured.
	Missing func(v1beta1.Platform) []string
	// Platforms create the links that connect accounts. Consent seals the purpose of a link.
	Platforms map[v1beta1.Platform]publish.Platform
	Consent   *consent.Sealer
	// LinkedInAnalytics reports whether LinkedIn's analytics are read.
	LinkedInAnalytics bool
	// Limits holds the cooldown of refreshes.
	Limits *limit.Limiter
	// ScheduleLead is how far ahead a post must at least be scheduled; 0 means the default.
	ScheduleLead time.Duration
	// Media decides which URLs callers may name. It fetches nothing here.
	Media *fetch.Client
	// WebhookHosts decides which URLs webhooks may have. It sends nothing here.
	WebhookHosts *fetch.Client
	// WebhookSecrets derives the signing secrets of webhooks.
	WebhookSecrets *webhooksecret.Deriver
	// Stock finds stock media.
	Stock StockLibrary
	// Library is the namespace whose media, packs and music every account can use.
	Library string
	// Painter draws previews; nil if they are not available.
	Painter *Painter
	// EditWait is how long the response to an edit waits for the slides; 0 means the default.
	EditWait time.Duration
	// Sign returns the signed URL of a blob, valid for the given time.
	Sign  func(ctx context.Context, key string, valid time.Duration) (string, error)
	Clock clock.PassiveClock
	// BaseURL is the public address.
	BaseURL string

	declared declarations
}

// Operations returns all operations, in the order of the description.
func (s *Service) Operations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(accountSpec, s.account),
		operation.Define(capabilitiesSpec, s.capabilities),
		operation.Define(errorSpec, s.errorEntry),
		operation.Define(brandsSpec, s.brands),
		operation.Define(brandSpec, s.brand),
		operation.Define(updateBrandSpec, s.updateBrand),
		operation.Define(createSpec, s.createSlideshow),
		operation.Define(renderSpec, s.renderSlideshow),
		operation.Define(editSpec, s.editSlideshow),
		operation.Define(putSpec, s.editSlideshow),
		operation.Define(addSlideSpec, s.addSlide),
		operation.Define(removeSlideSpec, s.removeSlide),
		operation.Define(previewSpec, s.previewSlide),
		operation.Define(videoSpec, s.createVideo),
		operation.Define(jobSpec, s.job),
		operation.Define(listShortsSpec, s.listShorts),
		operation.Define(shortSpec, s.short),
		operation.Define(deleteShortSpec, s.deleteShort),
		operation.Define(historySpec, s.history),
		operation.Define(slideshowSpec, s.slideshowByID),
		operation.Define(filmSpec, s.videoByID),
		operation.Define(uploadSpec, s.declareUpload),
		operation.Define(claimSpec, s.keepUpload),
		operation.Define(listMediaSpec, s.listMedia),
		operation.Define(mediaSpec, s.media),
		operation.Define(updateMediaSpec, s.updateMedia),
		operation.Define(deleteMediaSpec, s.deleteMedia),
		operation.Define(listPacksSpec, s.listPacks),
		operation.Define(createPackSpec, s.createPack),
		operation.Define(packSpec, s.getPack),
		operation.Define(updatePackSpec, s.updatePack),
		operation.Define(deletePackSpec, s.deletePack),
		operation.Define(listMusicSpec, s.listMusic),
		operation.Define(connectionsSpec, s.connections),
		operation.Define(linkSpec, s.connectLink),
		operation.Define(validateSpec, s.validatePosts),
		operation.Define(listPostsSpec, s.listPosts),
		operation.Define(onePostSpec, s.onePost),
		operation.Define(postSpec, s.createPosts),
		operation.Define(cancelSpec, s.cancelPost),
		operation.Define(editPostSpec, s.editPost),
		operation.Define(approvePostSpec, s.approvePost),
		operation.Define(returnPostSpec, s.returnPost),
		operation.Define(listAutomationsSpec, s.listAutomations),
		operation.Define(createAutomationSpec, s.createAutomation),
		operation.Define(previewAutomationSpec, s.previewAutomation),
		operation.Define(automationSpec, s.automation),
		operation.Define(updateAutomationSpec, s.updateAutomation),
		operation.Define(deleteAutomationSpec, s.deleteAutomation),
		operation.Define(runAutomationSpec, s.runAutomation),
		operation.Define(listAutomationRunsSpec, s.automationRuns),
		operation.Define(listWebhooksSpec, s.listWebhooks),
		operation.Define(createWebhookSpec, s.createWebhook),
		operation.Define(webhookSpec, s.webhook),
		operation.Define(updateWebhookSpec, s.updateWebhook),
		operation.Define(deleteWebhookSpec, s.deleteWebhook),
		operation.Define(testWebhookSpec, s.testWebhook),
		operation.Define(rotateWebhookSpec, s.rotateWebhook),
		operation.Define(deliveriesSpec, s.webhookDeliveries),
		operation.Define(replayWebhookSpec, s.replayWebhook),
		operation.Define(analyticsSpec, s.analytics),
		operation.Define(accountAnalyticsSpec, s.accountAnalytics),
		operation.Define(refreshSpec, s.refreshAnalytics),
	}
}

// byID is the input of an operation on one record.
type byID struct {
	ID operation.ID `path:"id" doc:"The short id."`
}

// signer returns the function that signs the URLs in the response to a call.
func (s *Service) signer(ctx context.Context, c *operation.Call) view.Signer {
	return func(key string, valid time.Duration) (string, error) {
		url, err := s.Sign(ctx, key, valid)
		if err == nil && c.Signed != nil {
			c.Signed(url, key)
		}
		return url, err
	}
}

// gather reads all data for the views of a short, as the cluster has it now. missing is the problem's code if the short
// does not exist.
func (s *Service) gather(ctx context.Context, c *operation.Call, id operation.ID, missing catalog.Code) (*view.Short, error) {
	short, err := s.Reader.WholeShort(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(missing, nil)
	}
	if err != nil {
		return nil, err
	}
	return s.about(ctx, c, short)
}

// liveSlideshow is like slideshow, and restores an archived one.
func (s *Service) liveSlideshow(ctx context.Context, c *operation.Call, id operation.ID) (*view.Short, error) {
	if _, err := s.liveShort(ctx, c, int64(id)); err != nil && !errors.Is(err, read.ErrNotFound) {
		return nil, err
	}
	return s.slideshow(ctx, c, id)
}

// slideshow is like gather for operations on slideshows only: the id of a video is not found.
func (s *Service) slideshow(ctx context.Context, c *operation.Call, id operation.ID) (*view.Short, error) {
	short, err := s.gather(ctx, c, id, catalog.NotFound)
	if err == nil && short.Video != nil {
		return nil, problem.New(catalog.NotFound, nil).Saying("There is no such slideshow.")
	}
	return short, err
}

// summary reads the data of a short for lists and jobs, without its slides. missing is the problem's code if the short
// does not exist.
func (s *Service) summary(ctx context.Context, c *operation.Call, id operation.ID, missing catalog.Code) (*view.Short, error) {
	short, err := s.Reader.Short(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(missing, nil)
	}
	if err != nil {
		return nil, err
	}
	out := s.seen(c, short, s.signer(ctx, c))
	return &out, nil
}

// seen converts a short of the index to the data for its views.
func (s *Service) seen(c *operation.Call, short index.Short, sign view.Signer) view.Short {
	out := view.Short{
		ID: short.ID, Show: short.Show, Video: short.Video, Renders: short.Renders, Brand: c.Brand, BrandID: read.ID(c.Brand),
		Sign: sign, Usual: s.Reader.Index.Usual,
	}
	if short.Archived != nil {
		out.ArchivedAt = &short.Archived.ArchivedAt
	}
	return out
}

// about adds the ids of the objects to which a whole short refers.
func (s *Service) about(ctx context.Context, c *operation.Call, short index.Short) (*view.Short, error) {
	out := s.seen(c, short, s.signer(ctx, c))
	if v := out.Video; v != nil {
		out.MusicID = s.Reader.TrackID(ctx, s.Library, c.Namespace(), v.Spec.Music)
		out.AvatarID = s.Reader.ClipID(ctx, s.Library, c.Namespace(), &v.Spec.Avatar)
		for i := range v.Spec.Demos {
			out.DemoIDs = append(out.DemoIDs, s.Reader.ClipID(ctx, s.Library, c.Namespace(), &v.Spec.Demos[i].ClipSource))
		}
		return &out, s.countPosts(ctx, c, &out)
	}
	source := out.Source()
	out.PackID = s.Reader.PackID(c.Namespace(), &source)
	out.MusicID = s.Reader.TrackID(ctx, s.Library, c.Namespace(), out.Show.Spec.Music)
	return &out, s.countPosts(ctx, c, &out)
}

// jobReply returns the newest work of a short.
func (s *Service) jobReply(short *view.Short) (*operation.Reply[view.Job], error) {
	job, err := short.Job(s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.Job]{Data: *job, RetryAfter: time.Duration(job.PollAfterSeconds) * time.Second}, nil
}
