// SPDX-License-Identifier: Apache-2.0

package pod_test

import (
	"context"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/confine"
	"github.com/reelops/reelops/internal/work/pod"
)

const account = "acme"

// image is the image that config/policy accepts by default.
const image = "reelops.dev/renderer:dev"

// everyField is a template with every field that an operator may set.
const everyField = `
metadata:
  labels: {team: video}
  annotations: {example.com/why: "films & clips"}
spec:
  nodeSelector: {pool: render}
  tolerations: [{key: render, operator: Exists, effect: NoSchedule}]
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {team: video}}}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {team: video}}}
  priorityClassName: films
  runtimeClassName: gvisor
  schedulerName: volcano
  imagePullSecrets: [{name: registry}]
  hostUsers: false
  hostAliases: [{ip: 192.0.2.1, hostnames: [store.example]}]
  dnsPolicy: None
  dnsConfig: {nameservers: [192.0.2.2], options: [{name: ndots, value: "1"}]}
`

func renderer(namespace string, o pod.Options) *batchv1.Job {
	o.Image = image
	return pod.Work{
		Namespace: namespace, Name: "tea-a1", MemoryBytes: 1 << 30, Queue: time.Minute, Run: time.Minute,
	}.Job(o)
}

// hostile has changes of a render Job that would give the manager more permissions than it has.
var hostile = map[string]func(*batchv1.Job){
	"in another namespace":              func(j *batchv1.Job) { j.Namespace = "kube-system" },
	"in a namespace without the label":  func(j *batchv1.Job) { j.Namespace = "default" },
	"without the label":                 func(j *batchv1.Job) { j.Labels = map[string]string{"team": "video"} },
	"pod outside of the network policy": func(j *batchv1.Job) { delete(j.Spec.Template.Labels, v1beta1.LabelComponent) },
	"pod with the labels of the front end": func(j *batchv1.Job) {
		j.Spec.Template.Labels["app.kubernetes.io/component"] = "apiserver"
	},
	"many pods": func(j *batchv1.Job) {
		j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](50), ptr.To[int32](50)
	},
	"selector of its own": func(j *batchv1.Job) {
		j.Spec.ManualSelector, j.Spec.Selector = ptr.To(true), &metav1.LabelSelector{MatchLabels: j.Spec.Template.Labels}
	},
	"token of a service account": podChange(func(p *corev1.PodSpec) { p.AutomountServiceAccountToken = nil }),
	"another service account":    podChange(func(p *corev1.PodSpec) { p.ServiceAccountName = "job-controller" }),
	"another service account, old field": podChange(func(p *corev1.PodSpec) {
		p.DeprecatedServiceAccount = "job-controller"
	}),
	"hostNetwork":        podChange(func(p *corev1.PodSpec) { p.HostNetwork = true }),
	"hostPID":            podChange(func(p *corev1.PodSpec) { p.HostPID = true }),
	"hostIPC":            podChange(func(p *corev1.PodSpec) { p.HostIPC = true }),
	"node of its choice": podChange(func(p *corev1.PodSpec) { p.NodeName = "control-plane" }),
	"priority of the cluster": podChange(func(p *corev1.PodSpec) {
		p.PriorityClassName = "system-node-critical"
	}),
	"init container": podChange(func(p *corev1.PodSpec) {
		p.InitContainers = []corev1.Container{{
			Name: "a", Image: image, SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
		}}
	}),
	"second container": podChange(func(p *corev1.PodSpec) {
		p.Containers = append(p.Containers, *p.Containers[0].DeepCopy())
		p.Containers[1].Name = "b"
	}),
	"hostPath": volume(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}),
	"Secret as volume": volume(corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: "reelops-token-key"},
	}),
	"ConfigMap as volume": volume(corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "reelops-manager"}},
	}),
	"projected token": volume(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
		},
	}}),
	"claim of the store": volume(corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "reelops-blobs"},
	}),
	"network file system": volume(corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{Server: "192.0.2.1", Path: "/"}}),
	"CSI volume":          volume(corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "secrets-store.csi.k8s.io"}}),
	"huge pages":          volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: "HugePages"}}),
	"pod as root": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.RunAsNonRoot, p.SecurityContext.RunAsUser = nil, ptr.To[int64](0)
	}),
	"pod without runAsNonRoot": podChange(func(p *corev1.PodSpec) { p.SecurityContext.RunAsNonRoot = nil }),
	"pod without any context":  podChange(func(p *corev1.PodSpec) { p.SecurityContext = nil }),
	"pod of the root user": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.RunAsUser = ptr.To[int64](0)
	}),
	"pod of the root group": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.RunAsGroup = ptr.To[int64](0)
	}),
	"pod without seccomp": podChange(func(p *corev1.PodSpec) { p.SecurityContext.SeccompProfile = nil }),
	"pod with files of the root group": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.FSGroup = ptr.To[int64](0)
	}),
	"pod with seccomp off": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
	}),
	"pod with sysctls": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.Sysctls = []corev1.Sysctl{{Name: "kernel.shm_rmid_forced", Value: "1"}}
	}),
	"pod with AppArmor off": podChange(func(p *corev1.PodSpec) {
		p.SecurityContext.AppArmorProfile = &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	}),
	"container with AppArmor off, by annotation": func(j *batchv1.Job) {
		j.Spec.Template.Annotations = map[string]string{
			"container.apparmor.security.beta.kubernetes.io/renderer": "unconfined",
		}
	},
	"claims on devices": podChange(func(p *corev1.PodSpec) {
		p.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: ptr.To("gpu")}}
	}),
	"privileged": container(func(c *corev1.Container) {
		c.SecurityContext.Privileged, c.SecurityContext.AllowPrivilegeEscalation = ptr.To(true), nil
	}),
	"privilege escalation": container(func(c *corev1.Container) {
		c.SecurityContext.AllowPrivilegeEscalation = ptr.To(true)
	}),
	"writable root":         container(func(c *corev1.Container) { c.SecurityContext.ReadOnlyRootFilesystem = nil }),
	"all capabilities kept": container(func(c *corev1.Container) { c.SecurityContext.Capabilities = nil }),
	"capability added": container(func(c *corev1.Container) {
		c.SecurityContext.Capabilities.Add = []corev1.Capability{"SYS_ADMIN"}
	}),
	"container without context": container(func(c *corev1.Container) { c.SecurityContext = nil }),
	"container as root": container(func(c *corev1.Container) {
		c.SecurityContext.RunAsUser, c.SecurityContext.RunAsNonRoot = ptr.To[int64](0), ptr.To(false)
	}),
	"container with seccomp off": container(func(c *corev1.Container) {
		c.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
	}),
	"unmasked proc": func(j *batchv1.Job) {
		p := &j.Spec.Template.Spec
		p.HostUsers, p.Containers[0].SecurityContext.ProcMount = ptr.To(false), ptr.To(corev1.UnmaskedProcMount)
	},
	"SELinux type": container(func(c *corev1.Container) {
		c.SecurityContext.SELinuxOptions = &corev1.SELinuxOptions{Type: "spc_t"}
	}),
	"every key of a Secret": container(func(c *corev1.Container) {
		c.EnvFrom = []corev1.EnvFromSource{{
			SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "reelops-token-key"}},
		}}
	}),
	"key of another Secret": container(func(c *corev1.Container) {
		c.Env[0].ValueFrom.SecretKeyRef.Name = "reelops-token-key"
	}),
	"other key of a Secret that the Job is named after": container(func(c *corev1.Container) {
		c.Env[0].ValueFrom.SecretKeyRef.Key = "token.key"
	}),
	"order in the variable of authorities": container(func(c *corev1.Container) {
		c.Env = append(c.Env, *c.Env[0].DeepCopy())
		c.Env[1].Name = "REELOPS_CA"
	}),
	"authorities of another Secret": container(func(c *corev1.Container) {
		c.Env = append(c.Env, *c.Env[0].DeepCopy())
		c.Env[1].Name = "REELOPS_CA"
		c.Env[1].ValueFrom.SecretKeyRef.Key, c.Env[1].ValueFrom.SecretKeyRef.Name = "ca.crt", "others"
	}),
	"authorities as plain text": container(func(c *corev1.Container) {
		c.Env = append(c.Env, corev1.EnvVar{Name: "REELOPS_CA", Value: "x"})
	}),
	"key of a ConfigMap": container(func(c *corev1.Container) {
		c.Env[0].ValueFrom = &corev1.EnvVarSource{
			ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "tea-a1"}, Key: "order-url",
			},
		}
	}),
	"variable of its choice": container(func(c *corev1.Container) {
		c.Env = append(c.Env, corev1.EnvVar{Name: "LD_PRELOAD", Value: "/scratch/x.so"})
	}),
	"another image":           container(func(c *corev1.Container) { c.Image = "docker.io/library/busybox:latest" }),
	"image of a longer name":  container(func(c *corev1.Container) { c.Image = "reelops.dev/renderer-of-others:dev" }),
	"image of a shorter name": container(func(c *corev1.Container) { c.Image = "reelops.dev/renderer:5000/others:dev" }),
	"command":                 container(func(c *corev1.Container) { c.Command = []string{"sh", "-c", "sleep 1000000"} }),
	"arguments":               container(func(c *corev1.Container) { c.Args = []string{"--help"} }),
	"port of the node": container(func(c *corev1.Container) {
		c.Ports = []corev1.ContainerPort{{ContainerPort: 10250, HostPort: 10250}}
	}),
	"request by the kubelet": container(func(c *corev1.Container) {
		c.Lifecycle = &corev1.Lifecycle{
			PostStart: &corev1.LifecycleHandler{
				HTTPGet: &corev1.HTTPGetAction{Host: "169.254.169.254", Port: intstr.FromInt32(80), Path: "/"},
			},
		}
	}),
	"probe by the kubelet": container(func(c *corev1.Container) {
		c.LivenessProbe = &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{
				HTTPGet: &corev1.HTTPGetAction{Host: "127.0.0.1", Port: intstr.FromInt32(10255), Path: "/"},
			},
		}
	}),
	"device":         container(func(c *corev1.Container) { c.Resources.Limits = withDevice(c.Resources.Limits) }),
	"without limits": container(func(c *corev1.Container) { c.Resources = corev1.ResourceRequirements{} }),
}

func podChange(change func(*corev1.PodSpec)) func(*batchv1.Job) {
	return func(j *batchv1.Job) { change(&j.Spec.Template.Spec) }
}

func container(change func(*corev1.Container)) func(*batchv1.Job) {
	return podChange(func(p *corev1.PodSpec) { change(&p.Containers[0]) })
}

func volume(s corev1.VolumeSource) func(*batchv1.Job) {
	return podChange(func(p *corev1.PodSpec) {
		p.Volumes = append(p.Volumes, corev1.Volume{Name: "more", VolumeSource: s})
	})
}

func withDevice(l corev1.ResourceList) corev1.ResourceList {
	l = l.DeepCopy()
	l["example.com/gpu"] = resource.MustParse("1")
	return l
}

// TestPolicy creates objects with the identity of the manager in a cluster with the shipped permissions and policies.
func TestPolicy(t *testing.T) {
	cluster, manager := testkit.ManagerCluster(t, account)
	rejected := func(t *testing.T, o client.Object, policy string) {
		t.Helper()
		err := manager.Create(t.Context(), o, client.DryRunAll)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "'"+policy+"'") ||
			strings.Contains(err.Error(), "resulted in error") {
			t.Errorf("want a rejection by %s, got: %v", policy, err)
		}
	}

	t.Run("accepts the Jobs of render pods", func(t *testing.T) {
		full, err := pod.ReadTemplate([]byte(everyField))
		if err != nil {
			t.Fatal(err)
		}
		bare, disk, held, set, user, trusting := options(), options(), options(), options(), options(), options()
		disk.Medium, held.Queue, set.Template, user.User = pod.Disk, "films", full, pod.User
		trusting.CAFiles = []string{"ca.crt"}
		for name, o := range map[string]pod.Options{
			"with nothing set": bare, "on disk": disk, "in a queue": held,
			"with every field of a template": set, "of a user": user,
			"with authorities": trusting,
		} {
			for _, namespace := range []string{account, testkit.SystemNamespace} {
				if err := manager.Create(t.Context(), renderer(namespace, o), client.DryRunAll); err != nil {
					t.Errorf("%s, in %s: %v", name, namespace, err)
				}
			}
		}
		for _, i := range []string{
			"reelops.dev/renderer", "reelops.dev/renderer:1.2", "reelops.dev/renderer@sha256:" + strings.Repeat("0", 64),
		} {
			j := renderer(account, bare)
			j.Spec.Template.Spec.Containers[0].Image = i
			if err := manager.Create(t.Context(), j, client.DryRunAll); err != nil {
				t.Errorf("image %s: %v", i, err)
			}
		}
	})
	t.Run("rejects all others", func(t *testing.T) {
		for name, change := range hostile {
			for _, namespace := range []string{account, testkit.SystemNamespace} {
				t.Run(name+", in "+namespace, func(t *testing.T) {
					j := renderer(namespace, options())
					change(j)
					rejected(t, j, "reelops-manager-jobs")
				})
			}
		}
	})
	t.Run("lets the manager delete render Jobs only", func(t *testing.T) {
		mine, other := renderer(account, options()), renderer(account, options())
		// Created by another program, such as an older manager.
		mine.Spec.Template.Spec.Containers[0].Image = "of.an.older/version:1"
		other.Name, other.Labels = "others", map[string]string{"team": "video"} // without labels, it gets those of its pod
		for _, j := range []*batchv1.Job{mine, other} {
			if err := cluster.Client.Create(t.Context(), j); err != nil {
				t.Fatal(err)
			}
		}
		if err := manager.Delete(t.Context(), mine); err != nil {
			t.Errorf("a render Job: got %v", err)
		}
		if err := manager.Delete(t.Context(), other); !apierrors.IsForbidden(err) {
			t.Errorf("a foreign Job: got %v", err)
		}
	})
	t.Run("rejects Secrets in other namespaces", func(t *testing.T) {
		secret := func(namespace string) *corev1.Secret {
			return &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: namespace, Name: "mine", Labels: map[string]string{v1beta1.LabelComponent: "tokens"},
				},
			}
		}
		rejected(t, secret("default"), "reelops-manager-secrets")
		for _, namespace := range []string{account, testkit.SystemNamespace} {
			for component, kind := range map[string]corev1.SecretType{
				"keys": corev1.SecretTypeOpaque, "tokens": "reelops.dev/tokens", "webhook": "reelops.dev/webhook",
			} {
				s := secret(namespace)
				s.Labels[v1beta1.LabelComponent], s.Type = component, kind
				if err := manager.Create(t.Context(), s, client.DryRunAll); err != nil {
					t.Errorf("%s in %s: got %v", component, namespace, err)
				}
			}
		}
	})
	t.Run("rejects network policies that open more", func(t *testing.T) {
		if err := manager.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: tenancy.Role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: tenancy.Role},
			Subjects: []rbacv1.Subject{{
				Kind: rbacv1.ServiceAccountKind, Namespace: testkit.SystemNamespace, Name: tenancy.ServiceAccount,
			}},
		}); err != nil {
			t.Fatal(err)
		}
		policy := func(name string, pods map[string]string) *networkingv1.NetworkPolicy {
			return &networkingv1.NetworkPolicy{
				ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: name},
				Spec:       networkingv1.NetworkPolicySpec{PodSelector: metav1.LabelSelector{MatchLabels: pods}},
			}
		}
		renderers := map[string]string{v1beta1.LabelComponent: pod.Component}
		// A new permission takes effect after some time.
		const every = 50 * time.Millisecond
		granted := func(ctx context.Context) (bool, error) {
			err := manager.Create(ctx, policy(confine.Policy, renderers), client.DryRunAll)
			if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "cannot create") {
				return false, nil
			}
			return err == nil, err
		}
		if err := wait.PollUntilContextTimeout(t.Context(), every, time.Minute, true, granted); err != nil {
			t.Fatal(err)
		}
		rejected(t, policy("open", renderers), "reelops-manager-network")
		rejected(t, policy(confine.Policy, nil), "reelops-manager-network")
	})
}
