// SPDX-License-Identifier: Apache-2.0

// Types of operations that the generated types do not have yet.

import type { Client } from 'openapi-fetch';

import { api } from './client';
import type { Meta, Post as PublishedPost, PostCustomization } from './schema.gen';

export interface Approval {
  readonly required: boolean;
  readonly state: 'waiting' | 'returned' | 'approved' | null;
  readonly comment: string | null;
  readonly by: string | null;
  readonly at: string | null;
}

export type Post = PublishedPost & { readonly edits?: number; readonly approval?: Approval };

export interface EditPost {
  readonly scheduled_at?: string;
  readonly title?: string;
  readonly caption?: string;
  readonly platform_customizations?: Readonly<Record<string, PostCustomization>>;
}

export interface DecidePost {
  readonly comment?: string;
  readonly edits?: number;
}

interface Path {
  readonly path: { readonly id: number };
  query?: never;
  header?: never;
  cookie?: never;
}

interface Operation<Body> {
  parameters: Path;
  requestBody: { content: { 'application/json': Body } };
  responses: {
    200: { headers: Record<string, unknown>; content: { 'application/json': { data: Post; meta: Meta } } };
  };
}

interface AddedPaths {
  '/api/v1/posts/{id}': { parameters: Path; patch: Operation<EditPost> };
  '/api/v1/posts/{id}/approve': { parameters: Path; post: Operation<DecidePost> };
  '/api/v1/posts/{id}/return': { parameters: Path; post: Operation<DecidePost> };
}

/** added calls the operations that the generated types do not have yet. */
export const added = api as unknown as Client<AddedPaths>;
