// SPDX-License-Identifier: Apache-2.0

/**
 * The client of the Reelops API. Operations and their types are generated from the description of the API; this module
 * adds repeated requests, idempotency keys, jobs, uploads, pages and webhooks.
 */

import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createClient, createConfig, type Client } from './generated/client/index.js';
import { idempotent } from './generated/idempotent.js';
import * as operations from './generated/sdk.gen.js';
import type { Job, MediaItem } from './generated/types.gen.js';

export * from './generated/sdk.gen.js';
export type * from './generated/types.gen.js';
export type { Client };

/** Settings of a client. */
export interface Settings {
  /** The public URL of the installation, such as https://reelops.example. */
  readonly url: string;
  /** An API key. Without one, `fetch` authenticates the requests. */
  readonly key?: string;
  /** The id of the brand of all requests that name none; by default that of the key. */
  readonly brandId?: number;
  /** How often a request is repeated at most. Default 5. */
  readonly retries?: number;
  /** The longest pause before a request is repeated, in milliseconds. A longer Retry-After ends the retries. Default 60,000. */
  readonly maxPause?: number;
  /** The function that sends requests. Default: fetch. */
  readonly fetch?: typeof fetch;
}

/** Refused is the first error of a response. */
interface Refused {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Record<string, unknown>;
}

/** ReelopsError is the refusal of a request, by an error of the API's catalog. */
export class ReelopsError extends Error {
  override readonly name = 'ReelopsError';
  /** The code of the catalog; "unknown" for a response that is not of the API. */
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;
  /** The id of the request, for the operator's log. */
  readonly requestId: string | null;

  constructor(response: Response, body: unknown) {
    const first = refusedOf(body);
    super(first?.message ?? `The request failed with status ${response.status}.`);
    this.code = first?.code ?? 'unknown';
    this.status = response.status;
    this.retryable = first?.retryable ?? response.status >= 500;
    this.details = first?.details ?? {};
    this.requestId = response.headers.get('X-Request-Id');
  }
}

/** JobFailedError is the failure of a job that was accepted. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';

  constructor(readonly job: Job) {
    super(job.error?.message ?? 'The job failed.');
  }
}

/** Answer is the result of a generated operation. */
interface Answer<Body> {
  readonly data?: Body | undefined;
  readonly error?: unknown;
  readonly response?: Response | undefined;
}

interface Listed<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly pagination?: { readonly page: number; readonly total_pages: number } };
}

const longestWait = 25;

const keyed = idempotent.map((one) => new RegExp(`${one.replace(' ', ' .*')}$`));

/** Reelops is a client of one installation with one API key. */
export class Reelops {
  /** The client to pass to the operations. */
  readonly client: Client;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.client = createClient(
      createConfig({
        baseUrl: settings.url.replace(/\/+$/, ''),
        headers: {
          ...(settings.key === undefined ? {} : { Authorization: `Bearer ${settings.key}` }),
          ...(settings.brandId === undefined ? {} : { 'X-Brand-Id': String(settings.brandId) }),
        },
        fetch: ((request: Request) => this.#send(request)) as typeof fetch,
      }),
    );
  }

  /** data returns the data of a response. It throws a ReelopsError for a refused request. */
  async data<T>(request: Promise<Answer<{ data: T }>>): Promise<T> {
    return (await body(request)).data;
  }

  /** each returns all items of a list, page by page. Items that are added or deleted meanwhile may be missing or occur twice. */
  async *each<Item>(list: (page: number) => Promise<Answer<Listed<Item>>>): AsyncGenerator<Item, void> {
    for (let page = 1, last = 1; page <= last; page++) {
      const { data, meta } = await body(list(page));
      yield* data;
      last = meta.pagination?.total_pages ?? 0;
    }
  }

  /**
   * wait follows a job until it succeeds, and returns it. It throws a JobFailedError if the job fails, and the reason of
   * the signal if that is aborted. progress is called for each state that the service reports.
   */
  async wait(id: number, options: { readonly signal?: AbortSignal; readonly progress?: (job: Job) => void } = {}): Promise<Job> {
    const { signal, progress } = options;
    for (;;) {
      signal?.throwIfAborted();
      const job = await this.data(
        operations.getJob({ client: this.client, path: { id }, query: { wait: longestWait }, ...(signal ? { signal } : {}) }),
      );
      progress?.(job);
      if (job.status === 'succeeded') {
        return job;
      }
      if (job.status === 'failed') {
        throw new JobFailedError(job);
      }
      await sleep(1000, undefined, signal ? { signal } : {});
    }
  }

  /** upload uploads a file and returns its media item. */
  async upload(
    content: Uint8Array,
    about: { readonly filename: string; readonly contentType: string; readonly title?: string; readonly tags?: string[] },
  ): Promise<MediaItem> {
    const { client } = this;
    const target = await this.data(
      operations.createDirectUpload({
        client,
        body: {
          filename: about.filename,
          byte_size: content.byteLength,
          checksum: createHash('md5').update(content).digest('base64'),
          content_type: about.contentType as never,
        },
      }),
    );
    const { url, headers } = target.direct_upload;
    const response = await this.#send(new Request(url, { method: 'PUT', headers, body: new Uint8Array(content) }));
    if (!response.ok) {
      throw new ReelopsError(response, await response.text());
    }
    const { title, tags } = about;
    return this.data(
      operations.createMedia({
        client,
        body: { file: target.signed_id, ...(title === undefined ? {} : { title }), ...(tags === undefined ? {} : { tags }) },
      }),
    );
  }

  /** #send sends a request, and repeats it while that is safe and may help. */
  async #send(request: Request): Promise<Response> {
    const { fetch: send = globalThis.fetch, retries = 5, maxPause = 60_000 } = this.#settings;
    const withKey = accepts(request);
    if (withKey && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', randomUUID());
    }
    const repeatable = withKey || ['GET', 'HEAD', 'PUT', 'DELETE'].includes(request.method);
    for (let retry = 0; ; retry++) {
      const pause = Math.min(1000 * 2 ** retry, 30_000);
      let response: Response;
      try {
        response = await send(request.clone());
      } catch (error) {
        if (!repeatable || retry >= retries || request.signal.aborted) {
          throw error;
        }
        await sleep(pause, undefined, { signal: request.signal });
        continue;
      }
      const after = await pauseOf(response, pause);
      if (after === null || after > maxPause || retry >= retries) {
        return response;
      }
      await response.body?.cancel();
      await sleep(after, undefined, { signal: request.signal });
    }
  }
}

/**
 * verifyWebhook returns the event of a webhook. It throws an error unless the signature is of the secret and at most five
 * minutes old. body is the unchanged body of the request.
 */
export function verifyWebhook(
  secret: string,
  body: string,
  headers: Record<string, string | string[] | undefined>,
): { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> } {
  const signed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') {
      signed[name.toLowerCase()] = value;
    }
  }
  return new Webhook(secret).verify(body, signed) as ReturnType<typeof verifyWebhook>;
}

/** accepts reports whether the operation of a request accepts an Idempotency-Key. */
function accepts(request: Request): boolean {
  const { pathname } = new URL(request.url);
  return keyed.some((operation) => operation.test(`${request.method} ${pathname}`));
}

/** pauseOf returns after how many milliseconds to repeat a request; null if its response is final. */
async function pauseOf(response: Response, usual: number): Promise<number | null> {
  if (response.status !== 429 && response.status !== 503 && response.status !== 409) {
    return null;
  }
  if (response.status === 409) {
    const text = await response.clone().text();
    if (!refusedOf(text)?.retryable) {
      return null;
    }
  }
  const after = Number(response.headers.get('Retry-After'));
  return Number.isFinite(after) && after > 0 ? after * 1000 : usual;
}

function refusedOf(body: unknown): Refused | undefined {
  let value = body;
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return (value as { errors?: Refused[] } | undefined)?.errors?.[0];
}

async function body<Body>(request: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await request;
  if (data !== undefined) {
    return data;
  }
  if (!response) {
    throw error;
  }
  throw new ReelopsError(response, error);
}
