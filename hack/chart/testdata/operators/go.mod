// The versions of other projects whose kinds the chart renders. The tests install the CRDs that these modules contain. Nothing is
// compiled from them, so `go mod tidy` must not run here.
module github.com/reelops/reelops/hack/chart/testdata/operators

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.6.0
)
