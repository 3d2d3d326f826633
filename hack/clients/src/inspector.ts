// SPDX-License-Identifier: Apache-2.0

// The inspector's command line lists everything and calls every tool, each with a connection of its own.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { assert, key, service } from './world.js';

const run = promisify(execFile);

/** inspect gives what the inspector prints. It ends with an error when a tool says that it failed, which some are to say. */
async function inspect(...args: string[]): Promise<string> {
  const all = ['--cli', `${service}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args];
  const { stdout } = await run('node_modules/.bin/mcp-inspector', all, { maxBuffer: 64 << 20 }).catch((e) => {
    if (e.stdout) return e;
    throw e;
  });
  return stdout;
}

const ids = JSON.parse(await readFile('out/ids.json', 'utf8'));
const listed = JSON.parse(await inspect('--method', 'tools/list')).tools.map((t: { name: string }) => t.name);
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
// Arguments of each tool. What would change a thing that is needed no more is allowed to, and what must fail has its code.
const calls: Record<string, { args?: Record<string, unknown>; fails?: string }> = {
  get_account: {},
  get_capabilities: { args: { error_code: 'not_found' } },
  search_media: { args: { source: 'stock', media_type: 'avatar_video' } },
  upload_media: { args: { filename: 'a.mp4', byte_size: 1000, checksum: 'AAAAAAAAAAAAAAAAAAAAAA==', content_type: 'video/mp4' } },
  create_slideshow: { args: { context: 'Tea keeps you warm.', slide_count: 3 } },
  update_slideshow: { args: { short_id: ids.short_id, caption: 'Good night.' } },
  render_slideshow: { args: { short_id: ids.short_id }, fails: 'conflict' },
  create_video: { args: { hook_text: 'No avatar' }, fails: 'validation_failed' },
  get_job: { args: { job_id: ids.short_id } },
  list_shorts: { args: { short_type: 'SLIDESHOW', per_page: 2 } },
  list_connections: {},
  create_connect_link: { args: { platform: 'instagram' } },
  validate_post: { args: { short_id: ids.short_id, platforms: ['tiktok'] } },
  create_post: { args: { short_id: ids.short_id, social_data_ids: [ids.social_data_id], scheduled_at: tomorrow } },
  list_posts: { args: { short_id: ids.short_id, status: 'scheduled' } },
  cancel_post: { args: { post_id: ids.post_id }, fails: 'not_cancellable' },
  get_analytics: { args: { social_data_id: ids.social_data_id, sort: 'like_count', dir: 'asc' } },
  refresh_analytics: { args: { social_data_id: ids.social_data_id }, fails: 'rate_limited' },
};
assert(listed.toSorted().join() === Object.keys(calls).toSorted().join(), `the inspector lists ${listed}`);
for (const [name, { args = {}, fails }] of Object.entries(calls)) {
  const given = Object.entries(args).map(([k, v]) => `${k}=${typeof v === 'string' ? v : JSON.stringify(v)}`);
  const out = await inspect('--method', 'tools/call', '--tool-name', name, ...given.flatMap((g) => ['--tool-arg', g]));
  const { isError = false, structuredContent: envelope } = JSON.parse(out);
  const code = envelope.success ? undefined : envelope.errors[0].code;
  assert(code === fails && isError === (fails !== undefined), `${name}: ${out}`);
}
await inspect('--method', 'resources/list');
await inspect('--method', 'prompts/list');
console.log(`the inspector called all ${listed.length} tools`);
