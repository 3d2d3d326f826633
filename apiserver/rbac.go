// SPDX-License-Identifier: Apache-2.0

package apiserver

// Permissions of the front end in the cluster. The front end reads its kinds in all namespaces, because every namespace
// may be an account. It creates the objects that callers request, changes and deletes the shorts, media, packs,
// automations and webhooks that they name, changes brands, requests refreshes of an account's analytics, and requests the
// restore of archived shorts. It lists batches to find those that need a file which is about to be deleted. Of status it writes only key use, render reports and reservations of a plan. Ids
// come from one ConfigMap for each number space, in the system namespace. Only the front end creates and completes
// idempotency records, and it reads them by name only.
//
// It edits posts, and approves them for callers who may approve. The policy reelops-post-content limits both. It has no
// verb approve on postbatches, so it can neither approve a batch nor create a key that may approve. For the members of
// the console it binds three roles, to which the policy reelops-console-members limits it.
//
// +kubebuilder:rbac:groups="",namespace=reelops-system,resources=configmaps,verbs=get;create;update
// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics;accounts;apikeys;mediaassets;slideshows;videos;renderjobs;posts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=musictracks;socialaccounts,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=archives;brands,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=webhookendpoints,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=automations,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=automationruns,verbs=get;list;create
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=get;list;create
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=create;patch;amend;approve
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos;renderjobs;mediaassets,verbs=create
// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics,verbs=create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows,verbs=patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=videos,verbs=delete
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status;apikeys/status;renderjobs/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=identities,verbs=assign
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=bind,resourceNames=reelops-viewer;reelops-editor;reelops-publisher
