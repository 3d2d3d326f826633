// SPDX-License-Identifier: Apache-2.0

// Command apiserver runs the front end: the API on one listener, the reports of render pods on a second, metrics and
// health on a third. Its only state is a cache, so several replicas may run side by side.
package main
