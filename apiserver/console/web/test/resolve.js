// SPDX-License-Identifier: Apache-2.0

// Resolves imports without a file extension, as the bundler does, so that Node.js can run the tests of the sources.

import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const bare = specifier.startsWith('.') && !/\.\w+$/.test(specifier);
    return next(bare ? `${specifier}.ts` : specifier, context);
  },
});
