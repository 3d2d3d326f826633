// SPDX-License-Identifier: Apache-2.0

// Renders the film: node render.mjs FOLDER OUT BROWSER PROPS, with the pictures in FOLDER and PROPS as JSON. The bundle is
// kept in FOLDER, as a server that renders many films would: only rendering is measured when it is there. Every processor has a
// page of its own.
import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {bundle} from '@remotion/bundler';
import {renderMedia, selectComposition} from '@remotion/renderer';

const [folder, out, browserExecutable, props] = process.argv.slice(2);
const inputProps = JSON.parse(props);
const serveUrl = join(folder, 'bundle');
if (!existsSync(serveUrl)) {
  await bundle({
    entryPoint: join(dirname(fileURLToPath(import.meta.url)), 'index.jsx'),
    publicDir: join(folder, 'public'),
    outDir: serveUrl,
  });
}
if (out !== '-') {
  const chromiumOptions = {gl: 'swangle'};
  const composition = await selectComposition({serveUrl, id: 'film', inputProps, browserExecutable, chromiumOptions, timeoutInMilliseconds: 300000});
  await renderMedia({
    composition, serveUrl, inputProps, browserExecutable, chromiumOptions, codec: 'h264', outputLocation: out, timeoutInMilliseconds: 300000,
    concurrency: availableParallelism(), imageFormat: 'jpeg', enforceAudioTrack: true, logLevel: 'error',
  });
}
