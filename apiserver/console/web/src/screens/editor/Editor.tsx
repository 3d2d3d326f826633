// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';

import { useLiveShort } from '../../api/events';
import { capabilitiesQuery } from '../../api/queries';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { Page } from '../../ui/Page';
import { baseOf } from './draft';
import { Workbench } from './Workbench';

/** Editor changes the slides of a slideshow. The server draws each change, and Save stores all of them at once. */
export default function Editor({ id }: { readonly id: number }) {
  const { account, brand, can } = useWorkspace();
  const query = useLiveShort(id, brand.id, account);
  const capabilities = useQuery(capabilitiesQuery);
  const back = <ButtonLink to={`/shorts/${String(id)}`}>Open the short</ButtonLink>;
  if (!can('content:write')) {
    return (
      <Page title="Edit slides">
        <Empty icon="warning" title="You may not edit this slideshow" action={back}>
          <p>Editing needs the right to create slideshows in this account. Ask an administrator for the role.</p>
        </Empty>
      </Page>
    );
  }
  const live = query.data && baseOf(query.data);
  const problem = query.error ?? capabilities.error;
  if (live && live.data.slides.length > 0 && capabilities.data) {
    return <Workbench live={live} offer={capabilities.data} />;
  }
  return (
    <Page title="Edit slides">
      {problem && !query.data ? (
        <ErrorNote
          error={problem}
          onRetry={() => {
            void query.refetch();
            void capabilities.refetch();
          }}
        />
      ) : (
        !query.data && <Loading lines={8} />
      )}
      {query.data && !live && (
        <Empty icon="video" title="This short has no slides" action={back}>
          <p>A hook-and-demo video is made of clips. Create another one to change it.</p>
        </Empty>
      )}
      {live?.data.slides.length === 0 && (
        <Empty icon="library" title="There are no slides yet" action={back}>
          <p>The slides can be edited when they are created.</p>
        </Empty>
      )}
      {live && live.data.slides.length > 0 && (problem ? <ErrorNote error={problem} /> : <Loading lines={8} />)}
    </Page>
  );
}
