// SPDX-License-Identifier: Apache-2.0

package apiserver

// What the front end may do in the cluster. It reads its kinds everywhere, because every namespace may be an account,
// creates what callers ask for, changes the slideshows that they edit, asks for an account's numbers to be read, takes back a
// picture that could not be fetched for a slideshow, and of status writes only key use, render reports and what is held of a
// plan. Ids come from one ConfigMap for each number space, in the system namespace. It alone makes and answers idempotency records,
// and reads them by name only.
//
// +kubebuilder:rbac:groups="",namespace=reelops-system,resources=configmaps,verbs=get;create;update
// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics;accounts;apikeys;mediaassets;slideshows;videos;renderjobs;posts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands;mediapacks;musictracks;socialaccounts,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=get;create
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos;renderjobs;mediaassets,verbs=create
// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics,verbs=create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=delete
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status;apikeys/status;renderjobs/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=identities,verbs=assign
