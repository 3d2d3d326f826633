// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/reelops/reelops/internal/work/pod"
)

// podSettings are the settings of render and media pods, except their sizes.
type podSettings struct {
	medium       string
	templateFile string
	queue        string
	renders      int
	confined     bool
	user         int64
	caFiles      string

	template pod.Template
}

func (p *podSettings) flags(f *flag.FlagSet) {
	f.StringVar(&p.medium, "render-scratch-medium", string(pod.Memory), "medium of the scratch volumes of render and media pods: memory, which is added to their memory request, or disk")
	f.StringVar(&p.templateFile, "render-pod-template", "", "YAML file with settings of render and media pods, as in a PodTemplateSpec: labels, annotations, nodeSelector, "+
		"tolerations, affinity, topologySpreadConstraints, priorityClassName, runtimeClassName, schedulerName, imagePullSecrets, hostUsers, hostAliases, dnsPolicy, dnsConfig")
	f.StringVar(&p.queue, "kueue-queue", "", "Kueue LocalQueue in each account's namespace for render and media Jobs; if unset, Kueue does not manage them")
	f.BoolVar(&p.confined, "require-confinement", false, "fail the work of render and media pods on nodes whose "+
		"kernel lacks Landlock or seccomp filters, which confine the programs that open files of users; "+
		"if unset, the work is done and the lack is reported")
	f.Int64Var(&p.user, "render-pod-user", pod.User, "user and group ID of render and media pods; 0 sets none, so that OpenShift assigns one of the namespace")
	f.StringVar(&p.caFiles, "render-ca-files", "", "comma-separated PEM files with certificate authorities that render and media pods trust in addition to those of their image; "+
		"read for each Job, at most 64 KiB together")
	f.IntVar(&p.renders, "renders", 16, "maximum number of renders at the same time, for all accounts; the next one is of the account with the fewest running renders; 0 for no limit")
}

// read validates the settings and reads the template.
func (p *podSettings) read() error {
	var errs []error
	if _, err := pod.ParseMedium(p.medium); err != nil {
		errs = append(errs, fmt.Errorf("--render-scratch-medium: %w", err))
	}
	if p.user < 0 {
		errs = append(errs, errors.New("--render-pod-user must be at least 0"))
	}
	if _, err := (pod.Options{CAFiles: list(p.caFiles)}).Authorities(); err != nil {
		errs = append(errs, fmt.Errorf("--render-ca-files: %w", err))
	}
	if p.renders < 0 {
		errs = append(errs, errors.New("--renders must be at least 0"))
	}
	if p.queue != "" {
		for _, e := range validation.IsDNS1123Subdomain(p.queue) {
			errs = append(errs, fmt.Errorf("--kueue-queue: %q: %s", p.queue, e))
		}
	}
	if p.templateFile != "" {
		doc, err := os.ReadFile(p.templateFile)
		if err == nil {
			p.template, err = pod.ReadTemplate(doc)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--render-pod-template: %w", err))
		}
	}
	return errors.Join(errs...)
}

// renderPod returns the options of render pods.
func (o *options) renderPod() pod.Options {
	return o.pod(o.renderCPU, o.renderMemory, o.renderScratch)
}

// mediaPod returns the options of media pods.
func (o *options) mediaPod() pod.Options {
	return o.pod(o.mediaCPU, o.mediaMemory, o.mediaScratch)
}

func (o *options) pod(cpu, memory, scratch string) pod.Options {
	return pod.Options{
		Image: o.rendererImage, CPU: resource.MustParse(cpu), Memory: resource.MustParse(memory),
		Scratch: resource.MustParse(scratch), Medium: pod.Medium(o.pods.medium), TTLSeconds: int32(o.renderTTL.Seconds()),
		CAFiles: list(o.pods.caFiles), User: o.pods.user, Queue: o.pods.queue, RequireConfinement: o.pods.confined, Template: o.pods.template,
	}
}
