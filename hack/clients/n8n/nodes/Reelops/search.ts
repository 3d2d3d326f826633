// SPDX-License-Identifier: MIT

import type { Reelops } from '@reelops/client';
import type { Call } from './call';

/** The largest page of the API. */
const pageSize = 50;

type Page = ReturnType<Parameters<Reelops['each']>[0]>;

/** search returns the records that the filters of the node select, up to its limit. */
export async function search<Query extends object>(call: Call, list: (query: Query) => Page): Promise<object[]> {
  const limit = call.flag('returnAll') ? Number.POSITIVE_INFINITY : call.number('limit');
  const filters = call.given('filters');
  const records: object[] = [];
  for await (const found of call.reelops.each((page) =>
    list({ ...filters, page, per_page: Math.min(limit, pageSize) } as unknown as Query),
  )) {
    records.push(found as object);
    if (records.length >= limit) {
      break;
    }
  }
  return records;
}
