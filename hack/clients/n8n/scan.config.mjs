// SPDX-License-Identifier: MIT

// The rules that n8n applies to the files of a published package.

import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { globalIgnores } from 'eslint/config';

export default [
  globalIgnores(['node_modules']),
  n8nCommunityNodesPlugin.configs.recommended,
  { rules: { 'no-console': 'error' } },
];
