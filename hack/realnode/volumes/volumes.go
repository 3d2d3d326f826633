// SPDX-License-Identifier: Apache-2.0

// Package volumes provides local volumes. Each claim of its storage class gets its own folder on the node. The folder
// is removed when the volume is released.
//
// Sizes are not enforced: the claim has the requested size, but can use the whole disk. Every access mode is granted,
// which is correct with a single node. The kubelet sets the ownership of the volume (fsGroup).
package volumes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	// Class is the storage class, Provisioner the name of its provisioner.
	Class       = "standard"
	Provisioner = "realnode.local/folder"
	// byUs is the annotation with the provisioner of a volume.
	byUs = "pv.kubernetes.io/provisioned-by"
	// resync is the interval at which everything is checked again, in case a removal has failed.
	resync = time.Minute
)

// Volumes serves claims of the storage class.
type Volumes struct {
	client  kubernetes.Interface
	dir     string
	node    string
	factory informers.SharedInformerFactory
	queue   workqueue.TypedRateLimitingInterface[key]
}

// key names a claim (with its namespace) or a volume (without).
type key struct{ namespace, name string }

// New returns a Volumes that creates the folders in dir.
func New(client kubernetes.Interface, dir, node string) *Volumes {
	return &Volumes{
		client: client, dir: dir, node: node,
		factory: informers.NewSharedInformerFactory(client, resync),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[key]()),
	}
}

// Run serves claims until ctx ends.
func (v *Volumes) Run(ctx context.Context) error {
	add := func(o any) {
		if m, ok := o.(metav1.Object); ok {
			v.queue.Add(key{m.GetNamespace(), m.GetName()})
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, o any) { add(o) }}
	for _, i := range []cache.SharedIndexInformer{
		v.factory.Core().V1().PersistentVolumeClaims().Informer(), v.factory.Core().V1().PersistentVolumes().Informer(),
	} {
		if _, err := i.AddEventHandler(handler); err != nil {
			return err
		}
	}
	v.factory.Start(ctx.Done())
	v.factory.WaitForCacheSync(ctx.Done())
	context.AfterFunc(ctx, v.queue.ShutDown)
	for {
		k, closed := v.queue.Get()
		if closed {
			return ctx.Err()
		}
		if err := v.serve(ctx, k); err != nil {
			klog.FromContext(ctx).Error(err, "Volume", "namespace", k.namespace, "name", k.name)
			v.queue.AddRateLimited(k)
		} else {
			v.queue.Forget(k)
		}
		v.queue.Done(k)
	}
}

func (v *Volumes) serve(ctx context.Context, k key) error {
	if k.namespace == "" {
		return v.release(ctx, k.name)
	}
	claim, err := v.factory.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(k.namespace).Get(k.name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	if claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil || claim.Spec.StorageClassName == nil || *claim.Spec.StorageClassName != Class {
		return nil
	}
	volume := For(claim, v.dir, v.node)
	if err := os.MkdirAll(volume.Spec.Local.Path, 0o750); err != nil {
		return err
	}
	_, err = v.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// For returns the volume of a claim, with its folder in dir.
func For(claim *corev1.PersistentVolumeClaim, dir, node string) *corev1.PersistentVolume {
	name := "pvc-" + string(claim.UID)
	modes := claim.Spec.AccessModes
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{byUs: Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   modes,
			StorageClassName:              Class,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef:                      &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: filepath.Join(dir, name)}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
		},
	}
}

// release removes a volume that is no longer claimed, its folder first. A crash between the two steps leaves a volume
// that is released again.
func (v *Volumes) release(ctx context.Context, name string) error {
	volume, err := v.factory.Core().V1().PersistentVolumes().Lister().Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	if volume.Annotations[byUs] != Provisioner || volume.Status.Phase != corev1.VolumeReleased ||
		volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
		return nil
	}
	if volume.Spec.Local == nil || filepath.Dir(volume.Spec.Local.Path) != filepath.Clean(v.dir) || !strings.HasPrefix(name, "pvc-") {
		return fmt.Errorf("volume %s is not in %s", name, v.dir)
	}
	if err := os.RemoveAll(volume.Spec.Local.Path); err != nil {
		return err
	}
	err = v.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &volume.UID}})
	if apierrors.IsNotFound(err) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
