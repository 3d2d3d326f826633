// SPDX-License-Identifier: Apache-2.0

import { createContext, use } from 'react';

import type { BrandSummary } from '../api/schema.gen';
import type { Scope, SignedIn } from '../api/session';

/** Workspace is what all screens share: who is signed in, and the account and brand that the page shows. */
export interface Workspace {
  readonly session: SignedIn;
  readonly account: string;
  readonly brand: BrandSummary;
  readonly brands: readonly BrandSummary[];
  /** The IANA name of the brand's time zone. All times are shown in it. */
  readonly zone: string;
  readonly can: (scope: Scope) => boolean;
  readonly selectBrand: (id: number) => void;
}

export const WorkspaceContext = createContext<Workspace | null>(null);

export function useWorkspace(): Workspace {
  const workspace = use(WorkspaceContext);
  if (!workspace) {
    throw new Error('useWorkspace outside of a workspace');
  }
  return workspace;
}
