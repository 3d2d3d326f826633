// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/store/envelope"
)

// checkKeys validates the flags that specify where the keys are.
func (o *options) checkKeys() error {
	switch {
	case o.keySecrets && (o.signingKeyFile != "" || o.tokenKeyFile != ""):
		return errors.New("--key-secrets excludes --signing-key-file and --token-key-file")
	case !o.keySecrets && o.signingKeyFile == "":
		return errors.New("--signing-key-file or --key-secrets is required")
	}
	return nil
}

// openKeys returns the signing key, and the sealer of tokens, which is nil without a token key. The client must read
// from the API server, not from a cache.
func openKeys(ctx context.Context, o *options, c client.Client) ([]byte, *envelope.Sealer, error) {
	if o.keySecrets {
		keys, err := keysecret.Open(ctx, c, o.serviceAccount())
		if err != nil {
			return nil, nil, err
		}
		sealer, err := envelope.Parse(keys.Token)
		return keys.Signing, sealer, err
	}
	signing, err := os.ReadFile(o.signingKeyFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the signing key: %w", err)
	}
	if o.tokenKeyFile == "" {
		return signing, nil, nil
	}
	sealer, err := envelope.OpenFile(o.tokenKeyFile)
	return signing, sealer, err
}
