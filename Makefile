# Reelops. `make help` lists what can be done; everything installs and builds what it needs.

SHELL        := /bin/bash
.SHELLFLAGS  := -euo pipefail -c
.DEFAULT_GOAL := help

# Without the tag the HEIC decoder's module would load a libheif that it finds on the machine into every program. What is
# decoded is decoded in a sandbox either way.
export GOFLAGS := -tags=nodynamic
# envtest gives etcd and kube-apiserver 20 seconds each by default, which a busy machine does not keep.
export KUBEBUILDER_CONTROLPLANE_START_TIMEOUT := 3m

BIN          := bin
DATA_DIR     ?= .local
PORT         ?= 8080
TEXT         ?= hack/demo/texts/sourdough.txt
OUT          ?= demo-output
MEDIA        ?=
REQUESTS     ?= 100000
OBJECTS      ?= 100000
HISTORIES    ?= 2000
SEED         ?=
TOOLS        := go tool -modfile=hack/tools/go.mod
PROGRAMS     := manager apiserver renderer reelops sandbox
ASSETS       := $(abspath $(BIN))

ARCH         ?= amd64
FFMPEG       ?= small
IMAGE_FLAGS   = -arch $(ARCH) $(if $(TAG),-tag $(TAG)) $(if $(filter small,$(FFMPEG)),,-ffmpeg none) $(if $(SNAPSHOT),-snapshot $(SNAPSHOT))

PACKAGES     := ffmpeg flite espeak-ng fonts-inter fonts-manrope fonts-league-spartan fonts-bebas-neue fonts-ebgaramond \
                fonts-roboto-slab fonts-quicksand fonts-lobstertwo fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji wordnet-base
TEST_PACKAGES := redis-server chromium-headless-shell g++ libopenh264-dev

# make test leaves out slow tests: the packages in INSTALLED, most cells of fault matrices (-short) and specs with the label slow.
# FULL=yes, as in CI, runs them too.
FULL         ?=
# The packages of make test-stack. make test runs none of them.
STACKS       := ./controllers/gitops ./internal/e2e ./internal/e2e/move
# The specs of the contract. make test runs them in PROCESSES processes, each with a cluster of its own.
CONTRACT     := ./apiserver/contract
PROCESSES    ?= 3
# The go command takes results of tests from its cache. It does not see what tests run or read outside the module, so the versions of that
# are in the build ID of each test binary: after an update all tests run again.
VERSIONS      = { dpkg-query -W $(PACKAGES) $(TEST_PACKAGES); cat $(ASSETS)/localkube.stamp; } | sha1sum | cut -c1-40
# make lint vets what these test.
GO_TEST       = go test -vet=off -ldflags=-B=0x$$($(VERSIONS))
# The packages whose tests run ffmpeg and other programs or read the fonts and the dictionary of the machine.
INSTALLED    := ./cmd/renderer ./internal/content/overlay/... ./internal/media/probe ./internal/social/publish/conformance ./internal/social/publish/instagram \
                ./internal/social/publish/linkedin ./internal/social/publish/tiktok ./internal/social/publish/youtube ./internal/film/render/... ./internal/social/sandbox/... \
                ./internal/film/speech/spoken ./internal/film/subtitle ./internal/content/wordnet

KILLING      ?= 5m
CLUSTER_TEST  = REELOPS_NODE=$(ASSETS)/realnode REELOPS_HELM=$(ASSETS)/helm REELOPS_BIN=$(ASSETS) REELOPS_IMAGES=$(ASSETS)/images go test -count=1 -v
NODE_PACKAGES := containerd runc containernetworking-plugins nftables

##@ Use

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n\033[1m%s\033[0m\n", substr($$0, 5)} /^[a-z0-9_-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## Make a video from a text and publish it on the sandbox (TEXT=file, OUT=folder, MEDIA=folder with pictures of your own)
	@$(BIN)/demo --text $(TEXT) --data-dir $(DATA_DIR) --bin $(BIN) --out $(OUT)$(if $(MEDIA), --media $(MEDIA))

.PHONY: run
run: build ## Run everything in the foreground until Ctrl-C (DATA_DIR=folder, PORT=8080)
	@exec $(BIN)/run --data-dir $(DATA_DIR) --port $(PORT) --bin $(BIN)

##@ Build

.PHONY: build
build: deps localkube ## Build all programs into bin/
	@echo "building $(PROGRAMS)"
	@go build -o $(BIN)/ $(PROGRAMS:%=./cmd/%)
	@go -C hack build -o $(ASSETS)/ ./run ./demo ./benchflow ./benchrender
	@ln -sf reelops $(BIN)/kubectl-reelops
	@install -m 755 cmd/reelops/kubectl_complete-reelops $(BIN)/

.PHONY: deps
deps: ## Install ffmpeg, fonts and the word list with apt-get, when they are missing
	@hack/deps.sh $(PACKAGES)

.PHONY: localkube
localkube: ## Build the local Kubernetes (first time about 8 minutes)
	@hack/localkube/build.sh $(BIN)/localkube
	@for n in etcd kube-apiserver kubectl; do ln -sf localkube $(BIN)/$$n; done

.PHONY: realnode
realnode: ## Build a real Kubernetes node for this machine (3 minutes after localkube)
	@hack/deps.sh $(NODE_PACKAGES)
	@hack/realnode/build.sh $(BIN)/realnode

.PHONY: images
images: $(if $(filter small,$(FFMPEG)),$(BIN)/ffmpeg-small/.built-from) ## Build the container images into bin/images, without an engine (TAG=tag, ARCH=amd64,arm64, PUSH=registry.example/reelops, FFMPEG=debian, SNAPSHOT=20261122T000000Z for releases)
	@hack/deps.sh ca-certificates debian-archive-keyring
	@go -C hack/images build -o $(ASSETS)/imagebuilder .
	@$(BIN)/imagebuilder $(IMAGE_FLAGS) $(if $(PUSH),-push $(PUSH))

.PHONY: images-test
images-test: ## Build the images that only tests need into bin/images/test: pause, toolbox, redis, minio
	@hack/deps.sh ca-certificates debian-archive-keyring
	@go -C hack/images build -o $(ASSETS)/imagebuilder .
	@$(BIN)/imagebuilder -test $(if $(TAG),-tag $(TAG))

$(BIN)/ffmpeg-small/.built-from: hack/ffmpeg/build.sh hack/ffmpeg/parts.sh
	@hack/deps.sh build-essential pkg-config dpkg-dev debian-archive-keyring
	@mkdir -p $(BIN)
	@flock $(BIN)/ffmpeg.lock hack/ffmpeg/build.sh
	@touch $@

.PHONY: generate
generate: ## Write the generated files again: deep copies, CRDs, RBAC, reference, monitoring, chart
	$(TOOLS) controller-gen object:headerFile=hack/boilerplate.go.txt paths=./api/...
	$(TOOLS) controller-gen crd:allowDangerousTypes=true paths=./api/... output:crd:dir=config/crd/bases
	go -C hack run ./crds ../config/crd/bases
	$(TOOLS) controller-gen rbac:roleName=reelops-manager paths=./controllers/... paths=./cmd/manager/... output:rbac:dir=config/rbac/manager
	$(TOOLS) controller-gen rbac:roleName=reelops-apiserver paths=./apiserver/... output:rbac:dir=config/rbac/apiserver
	go -C hack run ./reference
	go -C hack run ./monitoring
	go -C hack/chart run . # after all that it copies
	$(TOOLS) gofumpt -l -w api apiserver cmd controllers hack internal

.PHONY: golden
golden: deps ## Write all golden files again after an intended change: OpenAPI, MCP tools, line breaks, drawn pictures, chart
	go test ./apiserver -run Description -update
	go test ./apiserver/mcp -run Purpose -update
	go test ./internal/content/overlay -run Golden -update
	go test ./internal/content/imagery/starter -run MatchesTheGoldenFile -update
	cd hack/chart && go test . -run Golden -update

.PHONY: release-files
release-files: ## Write the files of a release but the images into OUT: chart, CRDs, notes (TAG=v0.2.0, REGISTRY=registry.example/reelops)
	hack/release.sh files $(TAG) $(OUT) $(REGISTRY)

.PHONY: gallery
gallery: deps ## Draw every design style with a few texts on every canvas into docs/gallery
	@go -C hack run ./gallery

##@ Check

.PHONY: test
test: deps localkube ## Run the unit tests, those of controllers, and the contract (FULL=yes: the slow ones too)
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) $(GO_TEST) $(if $(FULL),,-short) -timeout 30m $$(go list ./... | grep -vxFf <(go list $(STACKS) $(CONTRACT) $(if $(FULL),,$(INSTALLED))))
	KUBEBUILDER_ASSETS=$(ASSETS) $(TOOLS) ginkgo --procs=$(PROCESSES) $(if $(FULL),,--label-filter='!slow') --vet=off --timeout=30m --succinct $(CONTRACT)
	cd hack && KUBEBUILDER_ASSETS=$(ASSETS) $(GO_TEST) ./...
	cd hack/images && go test -count=1 ./...
	cd hack/chart && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 ./...
	cd hack/health && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 ./...

.PHONY: test-stack
test-stack: build ## Run the tests that start the whole service: kills, restarts, moves to another cluster, GitOps histories
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_BIN=$(ASSETS) $(GO_TEST) -timeout 30m $(STACKS)
	cd hack/localkube && LOCALKUBE_BINARY=$(ASSETS)/localkube go test -count=1 -timeout 10m ./...

.PHONY: test-guides
test-guides: build ## Run the commands of the README, the getting started page and the guides on a stack (15 minutes or more)
	@hack/deps.sh $(TEST_PACKAGES)
	KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_BIN=$(ASSETS) $(GO_TEST) -timeout 45m ./internal/e2e/guides

.PHONY: test-unit
test-unit: ## Run the tests that need nothing but Go; what needs more is skipped with the reason
	KUBEBUILDER_ASSETS= REELOPS_BIN= go test -short $$(go list ./... | grep -vxFf <(go list $(STACKS) $(INSTALLED)))

.PHONY: test-e2e
test-e2e: e2e-parts ## Try the real node, install with Helm on it, and live through a whole life there (root; 12 minutes after the builds)
	cd hack/realnode && REALNODE_BINARY=$(ASSETS)/realnode go test -count=1 -timeout 10m ./...
	@$(CLUSTER_TEST) -timeout 40m -run 'TestCluster$$' ./internal/e2e/cluster

.PHONY: test-e2e-ha
test-e2e-ha: e2e-parts ## The same with S3, Redis and two of everything, pods killed all the time (KILLING=5m)
	@REELOPS_CHAOS=$(KILLING) $(CLUSTER_TEST) -timeout 60m -run 'TestPodsKilled$$' ./internal/e2e/cluster

.PHONY: e2e-parts
e2e-parts: realnode images images-test
	@go build -o $(BIN)/ ./cmd/reelops
	@go -C hack/chart build -o $(ASSETS)/helm helm.sh/helm/v4/cmd/helm

.PHONY: lint
lint: ## Run the linters, and try the alerts and the dashboard with Prometheus' engine
	@hack/lint.sh
	@hack/openapi/lint.sh
	cd hack/monitoring/check && go test ./...

.PHONY: scan
scan: ## Run gosec and, where its database can be reached, govulncheck; hack/scan/accepted.yaml argues for what may stay
	@cd hack/scan && go test . && go run .

.PHONY: verify
verify: generate ## Fail when a generated file is not up to date, or a link or path of a document leads nowhere
	@hack/verify.sh

.PHONY: deflake
deflake: deps localkube ## Run the controllers' and front end's tests ten times
	KUBEBUILDER_ASSETS=$(ASSETS) go test -count=10 -timeout 60m ./controllers/... ./apiserver/...

.PHONY: random
random: localkube ## Make up 100,000 requests and hold every answer against the description (REQUESTS=number, SEED=that of an earlier run)
	@go test -c -o $(BIN)/contract.test ./apiserver/contract
	@cd apiserver/contract && KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_RANDOM_REQUESTS=$(REQUESTS) REELOPS_RANDOM_SEED=$(SEED) \
		$(ASSETS)/contract.test -test.run TestContract -test.timeout 120m -ginkgo.focus 'Requests made up' -ginkgo.no-color -ginkgo.succinct

##@ Measure

.PHONY: bench-flow
bench-flow: build ## Print what the service adds to writing, drawing and encoding
	@$(BIN)/benchflow --data-dir $(DATA_DIR) --bin $(BIN)

.PHONY: bench-api
bench-api: build ## Print how lists and jobs are answered at 10,000 and 1,000,000 shorts, beside kube-apiserver
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi --bin $(BIN)

.PHONY: bench-agents
bench-agents: ## Print the calls and bytes of an agent's tasks by scripted plans, and the size of the list of tools
	@go test ./apiserver/mcp -run ListOfTools -v -count 1
	@go test ./apiserver/contract -count 1 -timeout 20m -ginkgo.focus "An agent's tasks cost few calls" -ginkgo.v

.PHONY: bench-render
bench-render: deps ## Print the renderer beside the best single ffmpeg command, and edits beside whole renders
	@go -C hack build -o $(ASSETS)/ ./benchrender
	@$(BIN)/benchrender

.PHONY: bench-render-peers
bench-render-peers: deps ## Print the renderer beside Remotion, which is installed with npm and draws in Debian's Chromium
	@hack/deps.sh chromium
	@command -v npm >/dev/null || hack/deps.sh nodejs npm
	@go -C hack build -o $(ASSETS)/ ./benchrender
	@$(BIN)/benchrender -mode peers -pairs 1

.PHONY: bench-publish
bench-publish: build ## Print how late posts go out at 100 due a second, what one costs, and how long 10,000 take that are due at once
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --accounts 600 --lead 5m

.PHONY: chaos-publish
chaos-publish: build ## Kill the manager 500 times while posts are due, and look that none is doubled or lost (half an hour)
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --platforms tiktok,instagram --accounts 400 --rate 5 --kills 500

.PHONY: chaos-gitops
chaos-gitops: deps localkube ## Run 2,000 random GitOps histories against a model, and their states through kstatus, Argo CD and Flux (HISTORIES=number, SEED=that of one history)
	@go test -c -o $(BIN)/gitops.test ./controllers/gitops
	@cd controllers/gitops && KUBEBUILDER_ASSETS=$(ASSETS) REELOPS_HISTORIES=$(HISTORIES) REELOPS_HISTORIES_PARALLEL=40 SEED=$(SEED) \
		REELOPS_HISTORIES_STATES=$(ASSETS)/histories.jsonl $(ASSETS)/gitops.test -test.run TestHistories -test.v -test.timeout 120m
	@cd hack/health && REELOPS_HISTORIES_STATES=$(ASSETS)/histories.jsonl go test -count=1 -run StatesOfHistories .

.PHONY: bench-failover
bench-failover: build ## Print for how long nothing goes out when the manager that works dies, or is replaced, under 5 posts a second
	@go -C hack build -o $(ASSETS)/ ./benchpublish
	@$(BIN)/benchpublish --bin $(BIN) --platforms tiktok,instagram --accounts 60 --rate 5 --failover 8

.PHONY: bench-restart
bench-restart: build ## Print how long the manager and the front end take to start over 100,000 objects, and what an object costs in memory (OBJECTS=number)
	@go -C hack build -o $(ASSETS)/ ./benchapi
	@$(BIN)/benchapi restart --bin $(BIN) --objects $(OBJECTS)

##@ Clean

.PHONY: clean
clean: ## Remove what was built and what a run keeps
	rm -rf $(BIN) $(DATA_DIR) $(OUT)
