// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { postHistoryQuery } from '../../api/posts';
import type { HistoryEntry, JobError, Post } from '../../api/schema.gen';
import { dateTime, platformName } from '../../lib/format';
import { relative } from '../../lib/relative';
import { useWorkspace } from '../../shell/workspace';
import { classes } from '../../ui/classes';
import { ErrorNote, Loading } from '../../ui/Feedback';
import css from './post.module.css';

interface Step {
  readonly at: string;
  readonly text: string;
  readonly tone: '' | 'good' | 'warn' | 'bad' | 'ahead';
  readonly detail?: string | undefined;
  readonly error?: JobError | null;
}

/** Timeline is the way of a post from the request to the platform, the earliest first. */
export function Timeline({ post }: { readonly post: Post }) {
  const { zone } = useWorkspace();
  const history = useQuery(postHistoryQuery(post));
  if (history.error) {
    return <ErrorNote error={history.error} onRetry={() => void history.refetch()} />;
  }
  if (!history.data) {
    return <Loading lines={4} label="Loading the timeline" />;
  }
  return (
    <ol className={css['steps']} aria-label="Events, earliest first">
      {stepsOf(post, history.data, zone).map((step, i) => (
        <li key={i} className={classes(css['step'], css[step.tone])}>
          <span className={css['what']}>
            {step.text}
            {step.detail && (
              <span className={css['detailText']} dir="auto">
                {step.detail}
              </span>
            )}
            {step.error && (
              <span className={css['problem']} dir="auto">
                {step.error.message} <code>{step.error.code}</code>
              </span>
            )}
          </span>
          <time className={css['when']} dateTime={step.at} title={relative(step.at, history.dataUpdatedAt)}>
            {dateTime(step.at, zone)}
          </time>
        </li>
      ))}
    </ol>
  );
}

const texts: Readonly<Record<HistoryEntry['event'], string>> = {
  created: 'Accepted by Reelops',
  changed: 'Changed',
  started: 'Attempt started',
  succeeded: 'Published',
  failed: 'Failed',
  cancelled: 'Cancelled',
  released: 'Approved',
  accepted: 'Accepted by the platform',
  rejected: 'Rejected by the platform',
  not_sent: 'Not sent',
  unknown: 'Outcome unknown: the platform did not answer',
};

const tones: Readonly<Partial<Record<HistoryEntry['event'], Step['tone']>>> = {
  succeeded: 'good',
  accepted: 'good',
  released: 'good',
  failed: 'bad',
  rejected: 'bad',
  unknown: 'warn',
};

/** stepsOf joins the events of the history with what the post itself records, in the order of time. */
function stepsOf(post: Post, history: readonly HistoryEntry[], zone: string): readonly Step[] {
  const steps: Step[] = history.map((entry) => ({
    at: entry.at,
    text: entry.attempt !== null ? `${texts[entry.event]} (attempt ${String(entry.attempt)})` : texts[entry.event],
    tone: tones[entry.event] ?? '',
    error: entry.error,
    detail: entry.event === 'succeeded' ? proofOf(post) : undefined,
  }));
  const has = (event: HistoryEntry['event']) => history.some((entry) => entry.event === event);
  if (!has('created')) {
    steps.push({ at: post.created_at, text: texts.created, tone: '' });
  }
  const { approval } = post;
  if (approval.at && (approval.state === 'returned' || !has('released'))) {
    const returned = approval.state === 'returned';
    steps.push({
      at: approval.at,
      text: `${returned ? 'Returned' : 'Decided'}${approval.by ? ` by ${approval.by}` : ''}`,
      tone: returned ? 'warn' : 'good',
      detail: approval.comment ?? undefined,
    });
  }
  if (post.published_at && !has('succeeded')) {
    steps.push({ at: post.published_at, text: texts.succeeded, tone: 'good', detail: proofOf(post) });
  }
  if (post.next_attempt_at) {
    steps.push({ at: post.next_attempt_at, text: 'Next attempt', tone: 'ahead' });
  } else if (post.scheduled_at && (post.status === 'scheduled' || post.status === 'draft')) {
    steps.push({ at: post.scheduled_at, text: `Scheduled for this time (${zone})`, tone: 'ahead' });
  }
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function proofOf(post: Post): string | undefined {
  return post.platform_post_id ? `${platformName(post.platform)} id ${post.platform_post_id}` : undefined;
}
