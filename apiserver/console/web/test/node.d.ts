// SPDX-License-Identifier: Apache-2.0

// The parts of Node.js that the tests use. The page itself has no types of Node.js.

declare module 'node:test' {
  export function test(name: string, run: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
  export function equal(actual: unknown, expected: unknown, message?: string): void;
  export function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  export function notEqual(actual: unknown, expected: unknown, message?: string): void;
  export function rejects(promise: Promise<unknown>): Promise<void>;
}
