// SPDX-License-Identifier: Apache-2.0

// Package contract is the executable specification of the API. It has one spec for every rule that callers rely on, run
// over real HTTP against a real control plane with every controller running. Each part of the API has a file. To change
// a rule, change its spec first.
//
// The specs judge responses through the API only. They create objects directly only where callers cannot: accounts,
// brands, keys and manifests. Behavior that is not visible from outside, such as log lines and renderer reports, is
// tested beside its code.
package contract
