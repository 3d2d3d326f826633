// SPDX-License-Identifier: Apache-2.0

// Command apiserver runs the front end: the interface on one listener, the reports of render pods on a second, metrics
// and health on a third. All it keeps is a cache; several replicas may run side by side.
package main
