// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of every kind here.
var GroupVersion = schema.GroupVersion{Group: "reelops.dev", Version: "v1beta1"}

// AddToScheme registers the kinds with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Account{}, &AccountList{},
		&Brand{}, &BrandList{},
		&APIKey{}, &APIKeyList{},
		&MediaAsset{}, &MediaAssetList{},
		&MediaPack{}, &MediaPackList{},
		&MusicTrack{}, &MusicTrackList{},
		&Slideshow{}, &SlideshowList{},
		&Video{}, &VideoList{},
		&RenderJob{}, &RenderJobList{},
		&SocialAccount{}, &SocialAccountList{},
		&ConnectionRequest{}, &ConnectionRequestList{},
		&ConsoleLink{}, &ConsoleLinkList{},
		&PostBatch{}, &PostBatchList{},
		&Post{}, &PostList{},
		&AccountAnalytics{}, &AccountAnalyticsList{},
		&IdempotencyRecord{}, &IdempotencyRecordList{},
		&Automation{}, &AutomationList{},
		&AutomationRun{}, &AutomationRunList{},
		&WebhookEndpoint{}, &WebhookEndpointList{},
		&Archive{}, &ArchiveList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
