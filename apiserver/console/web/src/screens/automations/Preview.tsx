// SPDX-License-Identifier: Apache-2.0

import type { AutomationPreview } from '../../api/schema.gen';
import { shortDay, time } from '../../lib/format';
import { dayOf } from '../../lib/time';
import { Loading, Note } from '../../ui/Feedback';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';

interface PreviewProps {
  /** undefined while the preview is read, and after a failure. */
  readonly preview: AutomationPreview | undefined;
  /** What keeps the preview from being read; empty if nothing. */
  readonly obstacle: string;
  /** Whether the items belong to the source of the form. */
  readonly items: boolean;
  /** The time zone of the automation. */
  readonly zone: string;
}

/** Preview lists the next times in the zone of the automation and in that of the viewer, with the item of each. */
export function Preview({ preview, obstacle, items, zone }: PreviewProps) {
  const viewer = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Panel title="Preview">
      {obstacle ? (
        <p className={css['muted']}>{obstacle}</p>
      ) : preview ? (
        <div className={css['form']}>
          <Times preview={preview} items={items} zone={zone} viewer={viewer} />
        </div>
      ) : (
        <Loading lines={5} />
      )}
    </Panel>
  );
}

type TimesProps = Pick<PreviewProps, 'items' | 'zone'> & {
  readonly preview: AutomationPreview;
  readonly viewer: string;
};

function Times({ preview, items, zone, viewer }: TimesProps) {
  const differs = preview.next_times.some((at) => words(at, zone) !== words(at, viewer));
  return (
    <>
      <p className={css['muted']}>
        {preview.next_times.length > 0
          ? `The next times at which posts go out, in the time zone ${name(zone)}.`
          : 'The schedule has no time ahead.'}
        {differs && ` Your time zone is ${name(viewer)}.`}
      </p>
      <ol className={css['next']} aria-label="Next times">
        {preview.next_times.map((at, i) => {
          const item = items ? preview.items[i] : undefined;
          return (
            <li key={at}>
              <time dateTime={at}>{words(at, zone)}</time>
              {differs && <span className={css['muted']}>{words(at, viewer)} in your time zone</span>}
              {item && (
                <span className={css['item']} dir="auto">
                  {item.title || item.id}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {items && preview.items_message && <Note>{preview.items_message}</Note>}
    </>
  );
}

function words(at: string, zone: string): string {
  return `${shortDay(dayOf(at, zone))}, ${time(at, zone)}`;
}

function name(zone: string): string {
  return zone.replaceAll('_', ' ');
}
