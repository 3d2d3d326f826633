// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';

import { asFailure } from '../../api/errors';
import { ErrorNote } from '../../ui/Feedback';
import css from './deletion.module.css';

interface NeededProps {
  readonly name: string;
  readonly error: unknown;
}

// A refusal names all that need the item. This many are shown.
const shown = 20;

/** Needed shows why an item was not deleted, with links to the posts and shorts that need it. */
export function Needed({ name, error }: NeededProps) {
  const { details } = asFailure(error);
  const posts = numbers(details['post_ids']);
  const shorts = numbers(details['short_ids']);
  const batches = texts(details['batch_ids']);
  const brands = numbers(details['brand_ids']);
  return (
    <section className={css['needed']} aria-label={name}>
      <p className={css['name']} dir="auto">
        {name}
      </p>
      <ErrorNote error={error} />
      <Links title="Posts that need it" path="/posts" ids={posts} />
      <Links title="Shorts that need it" path="/shorts" ids={shorts} />
      {batches.length > 0 && <p>Requests whose posts are not created yet: {batches.slice(0, shown).join(', ')}</p>}
      {brands.length > 0 && <p>It is a default of the brand. Change that first.</p>}
    </section>
  );
}

interface LinksProps {
  readonly title: string;
  readonly path: string;
  readonly ids: readonly number[];
}

function Links({ title, path, ids }: LinksProps) {
  if (ids.length === 0) {
    return null;
  }
  return (
    <p className={css['links']}>
      {title}:
      {ids.slice(0, shown).map((id) => (
        <Link key={id} href={`${path}/${String(id)}`}>
          {id}
        </Link>
      ))}
      {ids.length > shown && ` and ${String(ids.length - shown)} more`}
    </p>
  );
}

function numbers(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'number') : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}
