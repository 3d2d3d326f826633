// SPDX-License-Identifier: Apache-2.0

import type { ErrorEnvelope } from './schema.gen';

/** Failure is an error of the API's envelope, or a request without an answer. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, retryable: boolean, details: Record<string, unknown>) {
    super(message);
    this.name = 'Failure';
    this.status = status;
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }

  /** field is the request's field that the error is about, or an empty string. */
  get field(): string {
    const field = this.details['field'];
    return typeof field === 'string' ? field : '';
  }

  /** answered reports whether the server gave a definite answer, so that the request has no unknown outcome. */
  get answered(): boolean {
    return this.status >= 400 && this.status < 500 && !(this.status === 409 && this.details['in_flight'] === true);
  }
}

/** noAnswer is the code of a request that got no answer. It is not a code of the API. */
export const noAnswer = 'no_answer';

export function failureOf(status: number, body: unknown): Failure {
  if (isEnvelope(body)) {
    const first = body.errors[0];
    if (first) {
      return new Failure(status, first.code, first.message, first.retryable, { ...first.details });
    }
  }
  return new Failure(status, 'internal_error', `The server answered with status ${String(status)}.`, status >= 500, {});
}

/** asFailure returns the error as a Failure. A request that failed without an answer gets the code noAnswer. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) {
    return error;
  }
  return new Failure(0, noAnswer, 'The server did not answer.', true, {});
}

function isEnvelope(body: unknown): body is ErrorEnvelope {
  return typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors);
}
