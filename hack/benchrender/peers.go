// SPDX-License-Identifier: Apache-2.0

package main

func (r *rounds) peers() error { return nil }
