// SPDX-License-Identifier: Apache-2.0

interface Kept {
  readonly url: string;
  readonly until: number;
}

const kept = new Map<string, Kept>();

// Signed URLs are valid for 24 hours or longer.
const lifetime = 12 * 60 * 60 * 1000;

/**
 * steady returns the first URL that the page got for a signed file. Each read of the API signs the URL again, and an
 * image or video that gets another URL is loaded again.
 */
export function steady(url: string): string {
  const [file, query] = url.split('?', 2);
  if (!file || !query || !/(^|&)(x-amz-)?signature=/i.test(query)) {
    return url;
  }
  const now = Date.now();
  const found = kept.get(file);
  if (found && found.until > now) {
    return found.url;
  }
  kept.set(file, { url, until: now + lifetime });
  return url;
}

/** forget makes steady return a new URL for the file, after the old one failed. */
export function forget(url: string): void {
  kept.delete(url.split('?', 1)[0] ?? url);
}
