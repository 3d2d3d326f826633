// SPDX-License-Identifier: Apache-2.0

// Signs in to the MCP server with OAuth: with the official TypeScript SDK, which requests another scope, refreshes and is
// revoked, and with the command line of the inspector. The browser of the user is this program: it signs in to the console
// with the link in REELOPS_LINK and decides there.

import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { auth, UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { assert, service } from './world.js';

const server = new URL(`${service}/mcp`);
const callback = 'http://127.0.0.1:6276/oauth/callback';

/** cookie is the session of the user at the console. */
let cookie = '';

async function console_(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${service}/console${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert(response.ok, `${method} ${path} ended with ${response.status}: ${text}`);
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
  return text === '' ? null : JSON.parse(text);
}

await console_('POST', '/session/link', { token: new URL(process.env.REELOPS_LINK ?? '').hash.replace(/^#(token=)?/, '') });

/** decide approves a request with the given scopes, or with those that the client requests, and returns the redirect. */
async function decide(page: URL, only?: string[]): Promise<URL> {
  assert(page.pathname === '/console/authorize', `the client opens ${page}`);
  const asked = await console_('GET', `/authorization${page.search}`);
  const body = {
    query: page.search.slice(1),
    approve: true,
    scopes: only ?? asked.data.scopes,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  return new URL((await console_('POST', '/authorization', body)).data.redirect);
}

/** Provider keeps what the SDK stores, in memory. */
class Provider implements OAuthClientProvider {
  page: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  verifier = '';
  readonly redirectUrl = callback;
  readonly clientMetadata = {
    client_name: 'SDK',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };

  clientInformation = () => this.information;
  saveClientInformation = (information: OAuthClientInformationMixed) => {
    this.information = information;
  };
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens;
  };
  redirectToAuthorization = (page: URL) => {
    this.page = page;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  invalidateCredentials = (scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') => {
    if (scope === 'all' || scope === 'tokens') this.saved = undefined;
    if (scope === 'all' || scope === 'client') this.information = undefined;
  };
}

const provider = new Provider();

async function connected(): Promise<Client> {
  const client = new Client({ name: 'reelops-check', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server, { authProvider: provider }));
  return client;
}

/** unauthorized checks that the SDK sends the user to the console, and returns the page. */
async function unauthorized(what: string, request: () => Promise<unknown>): Promise<URL> {
  provider.page = undefined;
  const error = await request().then(
    () => undefined,
    (e: unknown) => e,
  );
  assert(error instanceof UnauthorizedError && provider.page, `${what}: ${error}`);
  return provider.page;
}

async function finish(redirect: URL): Promise<void> {
  const code = redirect.searchParams.get('code');
  assert(code && redirect.href.startsWith(callback), `the console redirects to ${redirect}`);
  await new StreamableHTTPClientTransport(server, { authProvider: provider }).finishAuth(code);
}

// Sign in, with fewer scopes than the client requests.
await finish(await decide(await unauthorized('without a token', connected), ['brand:read', 'posts:read']));
let client = await connected();
const account = await client.callTool({ name: 'get_account', arguments: {} });
assert(!account.isError, JSON.stringify(account));

// A tool that needs another scope. This version of the SDK starts a new authorization only if it has no refresh token.
const write = { name: 'create_slideshow', arguments: { context: 'Tea keeps you warm.', slide_count: 3 } };
const refused = await client.callTool(write).then(
  () => undefined,
  (e: unknown) => e,
);
assert(refused instanceof StreamableHTTPError && refused.code === 403, `a tool without its scope: ${refused}`);
delete provider.saved?.refresh_token;
const more = await unauthorized('a tool without its scope', async () => (await connected()).callTool(write));
assert(more.searchParams.get('scope') === 'content:write', `the SDK requests ${more.searchParams.get('scope')}`);
await finish(await decide(new URL(more.href.replace('content%3Awrite', 'brand%3Aread+content%3Awrite'))));
client = await connected();
assert(!(await client.callTool(write)).isError, 'the tool fails with its scope');

// Refresh.
const before = provider.saved;
assert((await auth(provider, { serverUrl: server })) === 'AUTHORIZED', 'the SDK does not refresh');
assert(before && provider.saved && before.access_token !== provider.saved.access_token, 'the token is the same');
assert(before.refresh_token !== provider.saved.refresh_token, 'the refresh token is the same');
assert(!(await client.callTool({ name: 'get_account', arguments: {} })).isError, 'the new token does not work');

// Revocation in the console.
for (const key of (await console_('GET', '/keys')).data) {
  if (key.client?.name === 'SDK') await console_('DELETE', `/keys/${key.name}`);
}
await unauthorized('a revoked token', () => client.callTool({ name: 'get_account', arguments: {} }));
console.log('the SDK signed in, requested a scope, refreshed and was revoked');

// The inspector prints the page, listens for the response, and then lists the tools.
const inspector = spawn(
  'node_modules/.bin/mcp-inspector',
  ['--cli', server.href, '--transport', 'http', '--method', 'tools/list', '--format', 'json', '--connect-timeout', '60000'],
  // Without a terminal, the inspector signs in only if it may open a browser. It prints the page in any case.
  { env: { ...process.env, HOME: await mkdtemp('out/home-'), MCP_AUTO_OPEN_ENABLED: 'true' } },
);
let printed = '';
let told = '';
let opened = false;
const read = async (chunk: Buffer) => {
  told += chunk.toString();
  const page = /https?:\/\/\S+\/console\/authorize\?\S+/.exec(told)?.[0];
  if (page && !opened) {
    opened = true;
    const answer = await fetch(await decide(new URL(page)));
    assert(answer.ok, `the inspector answers ${answer.status}`);
  }
};
inspector.stdout.on('data', (chunk: Buffer) => {
  printed += chunk.toString();
  void read(chunk);
});
inspector.stderr.on('data', (chunk: Buffer) => void read(chunk));
const status = await new Promise((resolve) => inspector.on('close', resolve));
assert(status === 0 && opened && printed.includes('create_slideshow'), `the inspector ended with ${status}: ${told}`);
console.log('the inspector signed in');
