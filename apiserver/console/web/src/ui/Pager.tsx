// SPDX-License-Identifier: Apache-2.0

import type { Pagination } from '../api/schema.gen';
import { plural } from '../lib/format';
import { Button } from './Button';
import css from './pager.module.css';

interface PagerProps {
  readonly at: Pagination | undefined;
  readonly noun: string;
  readonly onPage: (page: number) => void;
}

/** Pager leads through the pages of a list. */
export function Pager({ at, noun, onPage }: PagerProps) {
  if (!at || at.total_count === 0) {
    return null;
  }
  const go = (page: number) => {
    onPage(page);
    scrollTo({ top: 0 });
  };
  return (
    <nav className={css['pager']} aria-label="Pages">
      <p>
        {plural(at.total_count, noun)}
        {at.total_pages > 1 && `, page ${String(at.page)} of ${String(at.total_pages)}`}
      </p>
      {at.total_pages > 1 && (
        <div className={css['buttons']}>
          <Button
            small
            icon="back"
            disabled={at.page <= 1}
            onClick={() => {
              go(at.page - 1);
            }}
          >
            Previous
          </Button>
          <Button
            small
            icon="next"
            disabled={at.page >= at.total_pages}
            onClick={() => {
              go(at.page + 1);
            }}
          >
            Next
          </Button>
        </div>
      )}
    </nav>
  );
}
