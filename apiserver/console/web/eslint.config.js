// SPDX-License-Identifier: Apache-2.0

import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import typescript from 'typescript-eslint';

export default typescript.config(
  { ignores: ['src/api/schema.gen.ts'] },
  ...typescript.configs.strict,
  a11y.flatConfigs.strict,
  hooks.configs.flat['recommended-latest'],
  {
    files: ['src/**/*.{ts,tsx}', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      'max-len': ['error', { code: 120, ignoreUrls: true, ignorePattern: '<path d=' }],
      // Autoplay sound never happens: every clip starts by a press of its play button, and speech has captions.
      'jsx-a11y/media-has-caption': 'off',
      // Regions that scroll have to be reachable by keyboard.
      'jsx-a11y/no-noninteractive-tabindex': ['error', { tags: [], roles: ['region', 'group'] }],
    },
  },
);
