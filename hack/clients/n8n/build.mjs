// SPDX-License-Identifier: MIT

// Bundles the nodes with the TypeScript client, because n8n verifies only nodes without run-time dependencies, and
// copies icons, metadata and the licenses of what the bundles contain.

import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const { n8n } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [...n8n.credentials, ...n8n.nodes].map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts')),
  outbase: '.',
  outdir: 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['n8n-workflow'],
  // n8n forbids timers of Node.js and globalThis in community nodes.
  alias: { 'node:timers/promises': './lib/timers.ts' },
  inject: ['lib/globals.ts'],
  define: { 'globalThis.fetch': 'fetch', 'globalThis.TextEncoder': 'TextEncoder' },
  metafile: true,
});
for (const file of globSync(['icons/*.svg', 'nodes/**/*.json'])) {
  cpSync(file, join('dist', file));
}

/** home returns the folder of the package that contains a file. */
function home(file) {
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) &&
    'name' in JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    ? folder
    : home(folder);
}
const notices = [...new Set(Object.keys(metafile.inputs).map(home))]
  .filter((folder) => folder !== '.')
  .sort()
  .map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file = '../../../LICENSE'] = globSync('LICEN[CS]E*', { cwd: folder }).map((found) => join(folder, found));
    return `${name} ${version}: ${license}\n\n${readFileSync(file, 'utf8')}`;
  });
writeFileSync('dist/licenses.txt', notices.join('\n\n----\n\n'));
