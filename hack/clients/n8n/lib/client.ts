// SPDX-License-Identifier: MIT

import { JobFailedError, Reelops, ReelopsError } from '@reelops/client';
import {
  type IAllExecuteFunctions,
  type IDataObject,
  type IHttpRequestMethods,
  type INode,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';

const credential = 'reelopsApi';

/** The longest time that a request may take, in milliseconds: the service answers after 25 seconds at most. */
const requestTimeout = 120_000;

/** Functions are what the client needs of the functions that n8n passes to a node. */
export type Functions = Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'>;

/** connect returns a client. n8n sends its requests, so n8n's authentication, proxies and certificates apply. */
export async function connect(functions: Functions): Promise<Reelops> {
  const { url } = await functions.getCredentials<{ url: string }>(credential);
  return new Reelops({ url, fetch: ((request: Request) => send(functions, request)) as typeof fetch });
}

async function send(functions: Functions, request: Request): Promise<Response> {
  const text = await request.text();
  const response = (await functions.helpers.httpRequestWithAuthentication.call(
    functions as IAllExecuteFunctions,
    credential,
    {
      url: request.url,
      method: request.method as IHttpRequestMethods,
      headers: Object.fromEntries(request.headers),
      ...(text === '' ? {} : { body: text }),
      encoding: 'text',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
      timeout: requestTimeout,
      abortSignal: request.signal,
    },
  )) as IN8nHttpFullResponse;
  const body = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
  return new Response([204, 304].includes(response.statusCode) ? null : body, {
    status: response.statusCode,
    headers: Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
}

/** failure returns the error of n8n for a refused request, a failed job or another error. */
export function failure(node: INode, error: unknown, itemIndex?: number): NodeApiError | NodeOperationError {
  const item = itemIndex === undefined ? {} : { itemIndex };
  if (error instanceof NodeApiError || error instanceof NodeOperationError) {
    return error;
  }
  if (error instanceof ReelopsError) {
    const { code, status, retryable, details, requestId, message } = error;
    const notes = [
      `Code: ${code}`,
      Object.keys(details).length > 0 && `Details: ${JSON.stringify(details)}`,
      requestId && `Request: ${requestId}`,
    ];
    return new NodeApiError(node, { code, status, retryable, details, requestId } as JsonObject, {
      ...item,
      message,
      description: notes.filter(Boolean).join('. '),
      httpCode: String(status),
    });
  }
  const description =
    error instanceof JobFailedError && error.job.error ? { description: `Code: ${error.job.error.code}` } : {};
  return new NodeOperationError(node, error instanceof Error ? error : String(error), { ...item, ...description });
}

/** record returns a record of the API as the data of an item. */
export function record(value: object): IDataObject {
  return value as IDataObject;
}
