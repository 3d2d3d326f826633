// SPDX-License-Identifier: Apache-2.0

// Package automation starts the runs of Automations at their slots, and creates and publishes the short of each run.
package automation
