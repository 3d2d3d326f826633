// SPDX-License-Identifier: Apache-2.0

// Package metric defines all metrics of Reelops: their names, meanings, labels, and the operator's question that they
// answer. docs/reference/metrics.md is generated from the definitions, and alerts and the dashboard are checked against
// them. Other packages create their collectors from the definitions. A test ensures that they create no others.
//
// Labels have few values, known in advance. No label contains an account, brand, key or object: ten thousand brands
// would be ten thousand time series. Find the account in the log, which has the request, account, key and short in
// every line, or in the objects (kubectl reelops status).
//
// The collector of a definition counts for the whole process, and Register exports the collectors of a program. New
// returns another collector, for packages that count separately per server or controller.
package metric
