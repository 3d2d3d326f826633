// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';

import { accountQuery, capabilitiesQuery } from '../../api/queries';
import { date, plural } from '../../lib/format';
import { leave } from '../../lib/leaving';
import { useWorkspace } from '../../shell/workspace';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented } from '../../ui/Field';
import { Page } from '../../ui/Page';
import css from './create.module.css';
import { SlideshowForm } from './SlideshowForm';
import { VideoForm } from './VideoForm';

type Kind = 'slideshow' | 'video';

/** Create starts a slideshow or a hook-and-demo video. */
export default function Create() {
  const { can } = useWorkspace();
  const [search] = useSearchParams();
  const [kind, setKind] = useState<Kind>(search.get('kind') === 'video' ? 'video' : 'slideshow');
  const capabilities = useQuery(capabilitiesQuery);
  return (
    <Page title="Create" lead={<Remaining />}>
      {!can('content:write') && (
        <Note tone="warn">Your role can read this brand, but it cannot create content. Ask for the role editor.</Note>
      )}
      <div className={css['kinds']}>
        <Segmented
          label="Kind of short"
          value={kind}
          choices={[
            { value: 'slideshow', label: 'Slideshow' },
            { value: 'video', label: 'Hook-and-demo video' },
          ]}
          onChange={(next) => {
            leave(() => {
              setKind(next);
            });
          }}
        />
        <p className={css['about']}>
          {kind === 'slideshow'
            ? 'Slides with text over images, also as a video with music or a voice-over.'
            : 'A person speaks the hook, then clips show your product.'}
        </p>
      </div>
      {capabilities.error && <ErrorNote error={capabilities.error} onRetry={() => void capabilities.refetch()} />}
      {capabilities.isPending && <Loading lines={6} />}
      {capabilities.data && kind === 'slideshow' && <SlideshowForm offer={capabilities.data} />}
      {capabilities.data && kind === 'video' && <VideoForm offer={capabilities.data} />}
    </Page>
  );
}

/** Remaining is the rest of the plan's quota. */
function Remaining() {
  const { account: name, zone } = useWorkspace();
  const account = useQuery(accountQuery(name));
  const plan = account.data?.plan.capabilities;
  if (!plan || plan.unlimited) {
    return null;
  }
  return (
    <>
      {plural(plan.slideshows_remaining, 'short')} of {plan.slideshow_limit} left until {date(plan.period_end, zone)}.
    </>
  );
}
