// SPDX-License-Identifier: Apache-2.0

import createClient, { type Middleware } from 'openapi-fetch';

import { asFailure, failureOf } from './errors';
import type { paths } from './schema.gen';

type Listener = () => void;

let brandId: number | null = null;
let onSignedOut: Listener = () => undefined;

/** setBrand selects the brand of all later requests. */
export function setBrand(id: number | null): void {
  brandId = id;
}

/** whenSignedOut sets the function that is called when a response reports that the session ended. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}

const session: Middleware = {
  onRequest({ request }) {
    if (brandId !== null) {
      request.headers.set('X-Brand-Id', String(brandId));
    }
    if (request.method !== 'GET') {
      request.headers.set('Content-Type', 'application/json');
    }
    return request;
  },
  onResponse({ response }) {
    if (response.status === 401) {
      onSignedOut();
    }
  },
};

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
  let response: Response;
  try {
    response = await fetch(`/console${path}`, {
      method,
      credentials: 'same-origin',
      headers: method === 'GET' ? { Accept: 'application/json' } : { 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw asFailure(error);
  }
  const text = await response.text();
  const value = parse(text);
  if (!response.ok) {
    if (response.status === 401 && path !== '/session' && path !== '/session/link') {
      onSignedOut();
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
