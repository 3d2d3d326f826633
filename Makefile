# Reelops. `make help` lists the targets. Every target installs and builds what it needs.

SHELL        := /bin/bash
.SHELLFLAGS  := -euo pipefail -c
.DEFAULT_GOAL := help

# Build tags. Without nodynamic, the module of the HEIC decoder would load a libheif of the machine into every program.
# Files are decoded in a sandbox in both cases. The other two leave out what is not used of gRPC: its pages of traces, and
# the routing of Google Cloud Storage over xDS. The manager is a quarter smaller without them.
export GOFLAGS := -tags=nodynamic,grpcnotrace,disable_grpc_modules
# By default, envtest waits 20 seconds each for etcd and kube-apiserver, which is too short on a busy machine.
export KUBEBUILDER_CONTROLPLANE_START_TIMEOUT := 3m

BIN          := bin
DATA_DIR     ?= .local
PORT         ?= 8080
TEXT         ?= hack/demo/texts/sourdough.txt
OUT          ?= demo-output
MEDIA        ?=
REQUESTS     ?= 100000
HISTORY      ?= 0,100000,1000000
YEAR         ?= 1h
OBJECTS      ?= 100000
HISTORIES    ?= 2000
AUTOMATIONS  ?= 200
DAYS         ?= 31
KILLS        ?= 500
TRANSITIONS  ?= 100000
SEED         ?=
TOOLS        := go tool -modfile=hack/tools/go.mod
PROGRAMS     := manager apiserver renderer reelops sandbox
ASSETS       := $(abspath $(BIN))

ARCH         ?= amd64
FFMPEG       ?= small
IMAGE_FLAGS   = -arch $(ARCH) $(if $(TAG),-tag $(TAG)) $(if $(filter small,$(FFMPEG)),,-ffmpeg none) $(if $(SNAPSHOT),-snapshot $(SNAPSHOT)) $(if $(ONLY),-only $(ONLY))

PACKAGES     := ffmpeg flite espeak-ng fonts-inter fonts-manrope fonts-league-spartan fonts-bebas-neue fonts-ebgaramond \
                fonts-roboto-slab fonts-quicksand fonts-lobstertwo fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji wordnet-base
TEST_PACKAGES := redis-server chromium-headless-shell g++ libopenh264-dev

# make test skips slow tests: the packages in INSTALLED, most cells of fault matrices (-short) and specs with the label
# slow. FULL=yes, as in CI, runs them too. Two packages more than there are processors run at once, because many tests
# also wait.
FULL         ?=
# The packages of make test-stack, the longest first, so that none runs alone at the end. make test runs none of them.
STACKS       := ./internal/e2e ./internal/e2e/console ./controllers/gitops ./internal/e2e/upgrade ./internal/e2e/move ./controllers/automation/kill
# The specs of the contract. make test runs them in PROCESSES processes, each with its own cluster.
CONTRACT     := ./apiserver/contract
PROCESSES    ?= 2
# The go command caches test results, but does not track programs and files outside the module. Their versions are part
# of the build ID of each test binary, so that all tests run again after an update.
VERSIONS      = { dpkg-query -W $(PACKAGES) $(TEST_PACKAGES); cat $(ASSETS)/localkube.stamp; } | sha1sum | cut -c1-40
# make lint runs go vet on these packages. Without debug information (-w), linking takes a third less.
SPECS         = KUBEBUILDER_ASSETS=$(ASSETS) $(TOOLS) ginkgo --procs=$(PROCESSES) --vet=off --timeout=30m --succinct
GO_TEST       = go test -vet=off -ldflags="-w -B=0x$$($(VERSIONS))"
# The packages whose tests run ffmpeg and other programs, or read installed fonts and the dictionary.
INSTALLED    := ./cmd/renderer ./internal/content/overlay/... ./internal/media/probe ./internal/social/publish/conformance ./internal/social/publish/instagram \
                ./internal/social/publish/linkedin ./internal/social/publish/tiktok ./internal/social/publish/youtube ./internal/film/render/... ./internal/social/sandbox/... \
                ./internal/film/speech/spoken ./internal/film/subtitle ./internal/content/wordnet

KILLING      ?= 5m
CLUSTER_TEST  = REELOPS_NODE=$(ASSETS)/realnode REELOPS_HELM=$(ASSETS)/helm REELOPS_BIN=$(ASSETS) REELOPS_IMAGES=$(ASSETS)/images go test -count=1 -v
NODE_PACKAGES := containerd runc containernetworking-plugins nftables

##@ Use

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} /^[a-z0-9_-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## Create a video from a text and publish it to the sandbox (TEXT=file, OUT=folder, MEDIA=image folder)
	@$(BIN)/demo --text $(TEXT) --data-dir $(DATA_DIR) --bin $(BIN) --out $(OUT)$(if $(MEDIA), --media $(MEDIA))

.PHONY: run
run: build ## Run everything in the foreground until Ctrl-C (DATA_DIR=folder, PORT=8080)
	@exec $(BIN)/run --data-dir $(DATA_DIR) --port $(PORT) --bin $(BIN)

##@ Build

.PHONY: build
build: deps localkube console ## Build all programs into bin/
	@echo "building $(PROGRAMS)"
	@go build -o $(BIN)/ $(PROGRAMS:%=./cmd/%)
	@go -C hack build -o $(ASSETS)/ ./run ./demo ./benchflow ./benchrender
	@ln -sf reelops $(BIN)/kubectl-reelops
	@install -m 755 cmd/reelops/kubectl_complete-reelops $(BIN)/

.PHONY: deps
deps: ## Install ffmpeg, fonts and the word list with apt-get, if missing
	@hack/deps.sh $(PACKAGES)

.PHONY: console
console: ## Build the web console, which the front end embeds
	@hack/console/build.sh

.PHONY: localkube
localkube: ## Build the local Kubernetes (first time about 8 minutes)
	@hack/localkube/build.sh $(BIN)/localkube
	@for n in etcd kube-apiserver kubectl; do ln -sf localkube $(BIN)/$$n; done

.PHONY: realnode
realnode: ## Build a real Kubernetes node for this machine (3 minutes after localkube)
	@hack/deps.sh $(NODE_PACKAGES)
	@hack/realnode/build.sh $(BIN)/realnode

.PHONY: images
images: console $(if $(filter small,$(FFMPEG)),$(BIN)/ffmpeg-small/.built-from) ## Build the container images into bin/images, without a container engine (TAG=tag, ONLY=names, ARCH=amd64,arm64, PUSH=registry.example/reelops, FFMPEG=debian, SNAPSHOT=20261122T000000Z for releases)
	@hack/deps.sh ca-certificates debian-archive-keyring
	@go -C hack/images build -o $(ASSETS)/imagebuilder .
	@$(BIN)/imagebuilder $(IMAGE_FLAGS) $(if $(PUSH),-push $(PUSH))

.PHONY: images-test
images-test: ## Build the images for tests into bin/images/test: pause, toolbox, redis, minio
	@hack/deps.sh ca-certificates debian-archive-keyring
	@go -C hack/images build -o $(ASSETS)/imagebuilder .
	@$(BIN)/imagebuilder -test $(if $(TAG),-tag $(TAG))

$(BIN)/ffmpeg-small/.built-from: hack/ffmpeg/build.sh hack/ffmpeg/parts.sh
	@hack/deps.sh build-essential pkg-config dpkg-dev debian-archive-keyring
	@mkdir -p $(BIN)
	@flock $(BIN)/ffmpeg.lock hack/ffmpeg/build.sh
	@touch $@

.PHONY: generate
generate: ## Update the generated files: deep copies, CRDs, RBAC, reference, monitoring, chart
	$(TOOLS) controller-gen object:headerFile=hack/boilerplate.go.txt paths=./api/...
	$(TOOLS) controller-gen crd:allowDangerousTypes=true paths=./api/... output:crd:dir=config/crd/bases
	go -C hack run ./crds ../config/crd/bases
	$(TOOLS) controller-gen rbac:roleName=reelops-manager paths=./controllers/... paths=./cmd/manager/... output:rbac:dir=config/rbac/manager
	$(TOOLS) controller-gen rbac:roleName=reelops-apiserver paths=./apiserver/... output:rbac:dir=config/rbac/apiserver
	go -C hack run ./reference
	go -C hack run ./monitoring
	go -C hack/chart run . # after the files that it copies
	$(TOOLS) gofumpt -l -w api apiserver cmd controllers hack internal

.PHONY: golden
golden: deps ## Update all golden files after an intended change: OpenAPI, MCP tools, line breaks, images, chart
	go test ./apiserver -run Description -update
	go test ./apiserver/mcp -run Purpose -update
	go test ./internal/content/overlay -run Golden -update
	go test ./internal/content/imagery/starter -run MatchesTheGoldenFile -update
	cd hack/chart && go test . -run Golden -update

.PHONY: release-files
release-files: ## Write the files of a release except the images to OUT: chart, CRDs, notes, kubectl plugin (TAG=v0.2.0, REGISTRY=registry.example/reelops)
	hack/release.sh files $(TAG) $(OUT) $(REGISTRY)
	hack/release.sh plugin $(TAG) $(OUT)

.PHONY: gallery
gallery: deps ## Render every design style with a few texts on every canvas to docs/gallery
	@go -C hack run ./gallery

##@ Check

.PHONY: test
test: deps localkube console ## Run the tests of units, controllers and the API contract (FULL=yes: also slow tests)
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) $(GO_TEST) $(if $(FULL),,-short) -p $$(($$(nproc) + 2)) -timeout 30m $$(go list ./... | grep -vxFf <(go list $(STACKS) $(CONTRACT) $(if $(FULL),,$(INSTALLED))))
	$(SPECS) $(if $(FULL),,--label-filter='!slow') $(CONTRACT)

.PHONY: test-archive
test-archive: deps localkube ## Run the API contract with an archive that takes shorts at once (5 minutes)
	@hack/deps.sh $(TEST_PACKAGES)
	REELOPS_ARCHIVE_AFTER=1ms $(SPECS) $(CONTRACT)

.PHONY: test-hack
test-hack: deps localkube ## Run the tests of the tools in hack: chart, images, generators
	cd hack && KUBEBUILDER_ASSETS=$(ASSETS) $(GO_TEST) ./...
	cd hack/images && go test -count=1 ./...
	cd hack/chart && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 ./...
	cd hack/health && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 ./...

.PHONY: test-release
test-release: ## Build the kubectl plugin as a release does, and check its Krew manifest (4 minutes)
	cd hack && REELOPS_RELEASE=yes go test -count=1 ./release

.PHONY: test-stack
test-stack: build ## Run the tests that start the whole service: kills, restarts, moves to another cluster, GitOps histories, the console
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_BIN=$(ASSETS) $(GO_TEST) -timeout 60m $(STACKS)
	cd hack/localkube && LOCALKUBE_BINARY=$(ASSETS)/localkube go test -count=1 -timeout 10m ./...

.PHONY: test-console
test-console: build ## Use the console in Chromium: all screens, by clicks and by keyboard (8 minutes; PICTURES=folder for screenshots)
	@hack/deps.sh $(TEST_PACKAGES)
	REELOPS_PICTURES=$(PICTURES) REELOPS_BIN=$(ASSETS) $(GO_TEST) -timeout 45m ./internal/e2e/console

.PHONY: test-guides
test-guides: build ## Run the commands of the README, the getting started page and the guides on a stack (4 minutes or more)
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_BIN=$(ASSETS) $(GO_TEST) -timeout 45m ./internal/e2e/guides

.PHONY: test-n8n
test-n8n: build ## Check the nodes for n8n, install n8n, and run workflows from a prompt to a post (first time 6 minutes or more)
	@hack/clients/n8n/run.sh --install
	REELOPS_N8N=yes KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_BIN=$(ASSETS) $(GO_TEST) -count=1 -timeout 30m -run '^TestN8n$$' ./internal/e2e

.PHONY: test-unit
test-unit: ## Run the tests that need only Go, and skip the others with a reason
	KUBEBUILDER_ASSETS= REELOPS_BIN= go test -short $$(go list ./... | grep -vxFf <(go list $(STACKS) $(INSTALLED)))

.PHONY: test-e2e
test-e2e: e2e-parts ## Test the real node, and an installation with Helm from install to uninstall (root; 12 minutes)
	cd hack/realnode && REALNODE_BINARY=$(ASSETS)/realnode go test -count=1 -timeout 10m ./...
	@$(CLUSTER_TEST) -timeout 40m -run 'TestCluster$$' ./internal/e2e/cluster

.PHONY: test-e2e-ha
test-e2e-ha: e2e-parts ## The same with S3, Redis and two replicas of each program, while pods are killed (KILLING=5m)
	@REELOPS_CHAOS=$(KILLING) $(CLUSTER_TEST) -timeout 60m -run 'TestPodsKilled$$' ./internal/e2e/cluster

.PHONY: test-standalone
test-standalone: ONLY := standalone
test-standalone: images ## Run the image with all of Reelops in containerd: first start, main job, kill, restart (root; 3 minutes after the image)
	@hack/deps.sh containerd runc iproute2
	cd hack/images && REELOPS_IMAGES=$(ASSETS)/images go test -count=1 -v -timeout 30m ./standalone

.PHONY: e2e-parts
e2e-parts: realnode images images-test
	@go build -o $(BIN)/ ./cmd/reelops
	@go -C hack/chart build -o $(ASSETS)/helm helm.sh/helm/v4/cmd/helm

.PHONY: lint
lint: ## Run the linters, and test the alerts and the dashboard with the engine of Prometheus
	@hack/lint.sh
	@hack/openapi/lint.sh
	@hack/console/build.sh check
	cd hack/monitoring/check && go test ./...

.PHONY: scan
scan: ## Run gosec and, if its database is reachable, govulncheck; hack/scan/accepted.yaml justifies accepted findings
	@cd hack/scan && go test . && go run .

.PHONY: verify
verify: generate ## Fail if a generated file is outdated, or a link or path in a document is broken
	@hack/verify.sh

.PHONY: deflake
deflake: deps localkube ## Run the controllers' and front end's tests ten times
	KUBEBUILDER_ASSETS=$(ASSETS) go test -count=10 -timeout 60m ./controllers/... ./apiserver/...

.PHONY: random
random: localkube ## Send 100,000 random requests and check every response against the OpenAPI description (REQUESTS=number, SEED=that of an earlier run)
	@go test -c -o $(BIN)/contract.test ./apiserver/contract
	@cd apiserver/contract && KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_RANDOM_REQUESTS=$(REQUESTS) REELOPS_RANDOM_SEED=$(SEED) \
		$(ASSETS)/contract.test -test.run TestContract -test.timeout 120m -ginkgo.focus 'Requests made up' -ginkgo.no-color -ginkgo.succinct

##@ Measure

.PHONY: bench-flow
bench-flow: build ## Print the overhead of the service over writing, rendering and encoding
	@$(BIN)/benchflow --data-dir $(DATA_DIR) --bin $(BIN)

.PHONY: bench-api
bench-api: build ## Print latencies of lists and jobs at 10,000 and 1,000,000 shorts, compared with kube-apiserver
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi --bin $(BIN)

.PHONY: bench-console
bench-console: build ## Print the times of the console in Chromium: a month of 5,000 posts and a library of 10,000 shorts beside empty ones, and previews of 20 editors
	@hack/deps.sh $(TEST_PACKAGES)
	@go -C hack build -o $(ASSETS)/ ./benchconsole
	@$(BIN)/benchconsole --bin $(BIN)

.PHONY: bench-agents
bench-agents: ## Print the calls and bytes of scripted agent tasks, and the size of the list of tools
	@go test ./apiserver/mcp -run ListOfTools -v -count 1
	@go test ./apiserver/contract -count 1 -timeout 20m -ginkgo.focus "An agent's tasks cost few calls" -ginkgo.v

.PHONY: bench-render
bench-render: deps ## Compare the renderer with the best single ffmpeg command, and edits with full renders
	@go -C hack build -o $(ASSETS)/ ./benchrender
	@$(BIN)/benchrender

.PHONY: bench-render-peers
bench-render-peers: deps ## Compare the renderer with Remotion, which is installed with npm and uses Debian's headless Chromium
	@hack/deps.sh chromium-headless-shell
	@command -v npm >/dev/null || hack/deps.sh nodejs npm
	@go -C hack build -o $(ASSETS)/ ./benchrender
	@$(BIN)/benchrender -mode peers -pairs 3

.PHONY: bench-publish
bench-publish: build ## Print the lateness and the cost of posts at 100 due per second, and of 10,000 posts due at once
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --accounts 600 --lead 5m

.PHONY: bench-archive
bench-archive: build ## Print the throughput and the cost of archiving, and the lateness of 10 posts due per second without it and beside it (6 min)
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --accounts 60 --rate 10 --for 45s --lead 45s --archive 800

.PHONY: chaos-publish
chaos-publish: build ## Kill the manager 500 times while posts are due, and check that none is lost or duplicated (30 min)
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --platforms tiktok,instagram --accounts 400 --rate 5 --kills 500

.PHONY: chaos-gitops
chaos-gitops: deps localkube ## Check 2,000 random GitOps histories against a model, and their states with kstatus, Argo CD and Flux (HISTORIES=number, SEED=that of one history)
	@go test -c -o $(BIN)/gitops.test ./controllers/gitops
	@cd controllers/gitops && KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_HISTORIES=$(HISTORIES) REELOPS_HISTORIES_PARALLEL=40 SEED=$(SEED) \
		REELOPS_HISTORIES_STATES=$(ASSETS)/histories.jsonl $(ASSETS)/gitops.test -test.run TestHistories -test.v -test.timeout 120m
	@cd hack/health && REELOPS_HISTORIES_STATES=$(ASSETS)/histories.jsonl go test -count=1 -run StatesOfHistories .

.PHONY: chaos-automations
chaos-automations: deps localkube ## Kill the leader 500 times in a simulated month of 200 automations, and check that no slot runs twice or is lost (AUTOMATIONS, DAYS, KILLS=numbers, SEED=that of one run)
	@KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_AUTOMATIONS=$(AUTOMATIONS) REELOPS_DAYS=$(DAYS) REELOPS_KILLS=$(KILLS) SEED=$(SEED) \
		go test -count=1 -v -timeout 240m ./controllers/automation/kill

.PHONY: chaos-webhooks
chaos-webhooks: deps ## Send the events of 100,000 transitions while the manager ends 500 times, and check that each arrives (TRANSITIONS, KILLS=numbers)
	@REELOPS_TRANSITIONS=$(TRANSITIONS) REELOPS_KILLS=$(KILLS) go test -count=1 -v -timeout 240m -run ManyTransitions ./controllers/webhookendpoint

.PHONY: bench-failover
bench-failover: build ## Print how long publishing pauses when the leader is killed or stopped, at 5 posts/s
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --platforms tiktok,instagram --accounts 60 --rate 5 --failover 8

.PHONY: bench-scale
bench-scale: build ## Print memory, start times and latencies with archives of 100,000 and 1,000,000 shorts (HISTORY=0,100000,1000000)
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi scale --bin $(BIN) --history $(HISTORY)

.PHONY: bench-year
bench-year: build ## Print how etcd, memory and latencies develop over a simulated year with an archive (YEAR=1h)
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi year --bin $(BIN) --length $(YEAR) --out $(CURDIR)/docs/reference/archive

.PHONY: bench-restart
bench-restart: build ## Print the start times of the manager and the front end with 100,000 objects, and the memory per object (OBJECTS=number)
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi restart --bin $(BIN) --objects $(OBJECTS)

##@ Clean

.PHONY: clean
clean: ## Remove built files, and the data of runs and demos
	rm -rf $(BIN) $(DATA_DIR) $(OUT)
