// SPDX-License-Identifier: Apache-2.0

import createClient, { type Middleware } from 'openapi-fetch';

import { automatic } from './attended';
import { asFailure, failureOf } from './errors';
import type { paths } from './schema.gen';

type Listener = () => void;

let brandId: number | null = null;
let account = '';
let onSessionChange: Listener = () => undefined;

/** setBrand selects the brand of all later requests, except of those that name another one. */
export function setBrand(id: number | null): void {
  brandId = id;
}

/** setAccount selects the account of all later requests. The server rejects them if the session is in another one. */
export function setAccount(name: string): void {
  account = name;
}

/**
 * whenSessionChanges sets the function that is called when a response reports that the session ended, or that it is in
 * another account than the page.
 */
export function whenSessionChanges(listener: Listener): void {
  onSessionChange = listener;
}

const accountHeader = 'X-Reelops-Account';

const session: Middleware = {
  onRequest({ request }) {
    request.headers.set(accountHeader, account);
    for (const [name, value] of Object.entries(automatic())) {
      request.headers.set(name, value);
    }
    if (brandId !== null && !request.headers.has('X-Brand-Id')) {
      request.headers.set('X-Brand-Id', String(brandId));
    }
    if (request.method !== 'GET') {
      request.headers.set('Content-Type', 'application/json');
    }
    return request;
  },
  async onResponse({ response }) {
    if (response.status === 401 || (response.status === 409 && inOtherAccount(parse(await response.clone().text())))) {
      onSessionChange();
    }
  },
};

function inOtherAccount(body: unknown): boolean {
  return failureOf(409, body).details['reason'] === 'account_changed';
}

/** api calls the published operations as the signed-in user. */
export const api = createClient<paths>({ baseUrl: '/console', credentials: 'same-origin' });
api.use(session);

interface Answer<Body> {
  data?: Body;
  error?: unknown;
  response: Response;
}

/** answer returns the body of a successful response. It throws a Failure otherwise. */
export async function answer<Body>(request: Promise<Answer<Body>>): Promise<Body> {
  let got: Answer<Body>;
  try {
    got = await request;
  } catch (error) {
    throw asFailure(error);
  }
  if (!got.response.ok || got.data === undefined) {
    throw failureOf(got.response.status, got.error);
  }
  return got.data;
}

/** send calls an endpoint of the console that is not a published operation. It returns null for an empty response. */
export async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const ofSession = path.startsWith('/session');
  let response: Response;
  try {
    response = await fetch(`/console${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(method === 'GET' ? { Accept: 'application/json' } : { 'Content-Type': 'application/json' }),
        ...(ofSession ? {} : { [accountHeader]: account }),
        ...automatic(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw asFailure(error);
  }
  const text = await response.text();
  const value = parse(text);
  if (!response.ok) {
    if (!ofSession && (response.status === 401 || inOtherAccount(value))) {
      onSessionChange();
    }
    throw failureOf(response.status, value);
  }
  return value;
}

function parse(text: string): unknown {
  if (text === '') {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}
