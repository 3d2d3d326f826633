// SPDX-License-Identifier: Apache-2.0

export type Unit = 'utf16' | 'characters' | 'bytes';

const encoder = new TextEncoder();

/** lengthOf returns the length of a text in the unit of a platform. */
export function lengthOf(text: string, unit: Unit): number {
  switch (unit) {
    case 'bytes':
      return encoder.encode(text).length;
    case 'characters':
      return Array.from(text).length;
    case 'utf16':
      return text.length;
  }
}

/** unitName is the noun of a unit for the counter. TikTok and YouTube count UTF-16 code units. */
export function unitName(unit: Unit): string {
  return unit === 'bytes' ? 'bytes' : 'characters';
}

/** csv returns rows as CSV. Cells that a spreadsheet would run as formulas get an apostrophe. */
export function csv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

function cell(value: string | number | null): string {
  if (value === null) {
    return '';
  }
  if (typeof value === 'number') {
    return String(value);
  }
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** save offers a text or bytes to the user as a file. */
export function save(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** randomKey returns an Idempotency-Key. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
