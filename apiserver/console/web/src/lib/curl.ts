// SPDX-License-Identifier: Apache-2.0

type Value = string | number | boolean | null | undefined;

/** curl returns a command for the published operation that the page calls. */
export function curl(
  method: string,
  path: string,
  brand: number | null,
  options: { query?: Readonly<Record<string, Value>>; body?: unknown; key?: string } = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, String(value));
    }
  }
  const search = query.size > 0 ? `?${query.toString()}` : '';
  const lines = [`curl --fail-with-body ${quote(`${location.origin}/api/v1${path}${search}`)}`];
  if (method !== 'GET') {
    lines[0] = `curl --fail-with-body -X ${method} ${quote(`${location.origin}/api/v1${path}${search}`)}`;
  }
  lines.push('-H "Authorization: Bearer $REELOPS_API_KEY"');
  if (brand !== null) {
    lines.push(`-H 'X-Brand-Id: ${String(brand)}'`);
  }
  if (options.key) {
    lines.push(`-H ${quote(`Idempotency-Key: ${options.key}`)}`);
  }
  if (options.body !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quote(JSON.stringify(options.body))}`);
  }
  return lines.join(' \\\n  ');
}

/** quote returns the text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
