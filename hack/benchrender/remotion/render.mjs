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
  const browser = {browserExecutable, chromeMode: 'headless-shell', timeoutInMilliseconds: 300000};
  const composition = await selectComposition({serveUrl, id: 'film', inputProps, ...browser});
  await renderMedia({
    composition, serveUrl, inputProps, ...browser, codec: 'h264', x264Preset: 'superfast', outputLocation: out,
    concurrency: availableParallelism(), imageFormat: 'jpeg', enforceAudioTrack: true, logLevel: 'error',
  });
}
