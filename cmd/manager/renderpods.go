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
	f.StringVar(&p.medium, "render-scratch-medium", string(pod.Memory), "what holds the working folders of render and media pods: memory, which is requested on top of theirs, or disk")
	f.StringVar(&p.templateFile, "render-pod-template", "", "YAML file with what render and media pods get from the installation, as in a PodTemplateSpec: labels, annotations, nodeSelector, "+
		"tolerations, affinity, topologySpreadConstraints, priorityClassName, runtimeClassName, schedulerName, imagePullSecrets, hostUsers, hostAliases, dnsPolicy, dnsConfig")
	f.StringVar(&p.queue, "kueue-queue", "", "Kueue LocalQueue, in each account's namespace, that render and media Jobs wait in; without it nobody holds them")
	f.BoolVar(&p.confined, "require-confinement", false, "do no work in render and media pods on nodes whose "+
		"kernel lacks Landlock or seccomp filters, which confine the programs that open files of users; "+
		"without it such work is done and reported")
	f.Int64Var(&p.user, "render-pod-user", pod.User, "user and group of render and media pods; 0: they name none, and OpenShift assigns one of the namespace")
	f.StringVar(&p.caFiles, "render-ca-files", "", "comma-separated files in PEM with authorities that render and media pods trust in addition to those of their image; "+
		"read for each Job, at most 64 KiB together")
	f.IntVar(&p.renders, "renders", 16, "films made at once, over all accounts: of those that wait, one of the account with the fewest at work is next; 0 for as many as there are")
}

// read validates the settings and reads the template.
func (p *podSettings) read() error {
	var errs []error
	if _, err := pod.ParseMedium(p.medium); err != nil {
		errs = append(errs, fmt.Errorf("--render-scratch-medium: %w", err))
	}
	if p.user < 0 {
		errs = append(errs, errors.New("--render-pod-user is at least 0"))
	}
	if _, err := (pod.Options{CAFiles: list(p.caFiles)}).Authorities(); err != nil {
		errs = append(errs, fmt.Errorf("--render-ca-files: %w", err))
	}
	if p.renders < 0 {
		errs = append(errs, errors.New("--renders is at least 0"))
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
