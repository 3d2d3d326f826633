// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';

import {
  automationQuery,
  automationsChanged,
  createAutomation,
  previewQuery,
  updateAutomation,
  type AutomationChange,
} from '../../api/automations';
import { asFailure } from '../../api/errors';
import { idempotency } from '../../api/idempotency';
import { capabilitiesQuery, connectionsQuery } from '../../api/queries';
import type { Automation, Capabilities, Connections } from '../../api/schema.gen';
import { usable } from '../../lib/accounts';
import { curl } from '../../lib/curl';
import { useDebounced } from '../../lib/hooks';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Leaving } from '../../ui/Leaving';
import { toast } from '../../ui/messages';
import { Page } from '../../ui/Page';
import { Panel } from '../../ui/Panel';
import { AdvancedFields } from './AdvancedFields';
import css from './automations.module.css';
import { bodyOf, changesOf, draftOf, emptyDraft, hasSource, missing, previewOf, type Draft } from './draft';
import { fieldOf, type FieldName, type Form } from './fields';
import { Preview } from './Preview';
import { PublishFields } from './PublishFields';
import { ScheduleFields } from './ScheduleFields';
import { SourceFields } from './SourceFields';
import { useMayAutomate } from './rights';
import { TemplateFields } from './TemplateFields';

/** Builder creates an automation, or changes the one with the id. */
export function Builder({ id }: { readonly id?: number }) {
  const { brand } = useWorkspace();
  const may = useMayAutomate();
  const capabilities = useQuery(capabilitiesQuery);
  const connections = useQuery(connectionsQuery(brand.id));
  const stored = useQuery({ ...automationQuery(brand.id, id ?? 0), enabled: id !== undefined });
  const title = id === undefined ? 'New automation' : `Edit ${stored.data?.name ?? 'the automation'}`;
  const error = capabilities.error ?? connections.error ?? stored.error;
  const ready = capabilities.data && connections.data && (id === undefined || stored.data);
  return (
    <Page title={title} actions={<ButtonLink to={pageOf(id)}>Back</ButtonLink>}>
      {!may && (
        <div className={css['above']}>
          <Note tone="warn">Your role cannot change automations. Ask for the role publisher.</Note>
        </div>
      )}
      {!ready && error && (
        <ErrorNote
          error={error}
          onRetry={() => {
            void capabilities.refetch();
            void connections.refetch();
            if (id !== undefined) {
              void stored.refetch();
            }
          }}
        />
      )}
      {!ready && !error && <Loading lines={8} />}
      {ready && (
        <Editor
          offer={capabilities.data}
          connections={connections.data}
          {...(stored.data ? { stored: stored.data } : {})}
        />
      )}
    </Page>
  );
}

function pageOf(id: number | undefined): string {
  return id === undefined ? '/automations' : `/automations/${String(id)}`;
}

interface EditorProps {
  readonly offer: Capabilities;
  readonly connections: Connections;
  readonly stored?: Automation;
}

/** start returns the first content of the form. If there is only one account, it is chosen. */
function start({ accounts }: Connections): Draft {
  const [only, ...others] = accounts;
  return only && others.length === 0 && usable(only) ? { ...emptyDraft, accounts: [only.social_data_id] } : emptyDraft;
}

function Editor({ offer, connections, stored }: EditorProps) {
  const { brand, zone } = useWorkspace();
  const may = useMayAutomate();
  const [first] = useState(() => (stored ? draftOf(stored, zone) : start(connections)));
  const [draft, setDraft] = useState(first);
  const body = useMemo(() => bodyOf(draft, zone), [draft, zone]);
  const changes = stored ? changesOf({ ...bodyOf(first, zone) }, { ...body }) : null;
  const save = useSave(stored?.id);
  const preview = usePreview(draft);
  const failure = save.error ?? preview.error;
  const wrong = failure && fieldOf(asFailure(failure));
  const problem = (field: FieldName) => (failure && field === wrong ? asFailure(failure).message : undefined);
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    save.reset();
  };
  const form: Form = {
    draft,
    change,
    problem,
    text: (name, field) => {
      const message = field && problem(field);
      return {
        value: draft[name],
        ...(message ? { problem: message } : {}),
        onChange: (event) => {
          change({ [name]: event.target.value });
        },
      };
    },
  };
  const open = missing(draft);
  const unchanged = changes !== null && Object.keys(changes).length === 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(changes ?? body);
  };
  return (
    <form className={css['builder']} onSubmit={submit}>
      <Leaving
        dirty={draft !== first && !save.isSuccess}
        title="Leave without saving the automation?"
        text="What you entered is not kept."
      />
      <div className={css['parts']}>
        <Panel>
          <TextField label="Name" required maxLength={200} {...form.text('name', 'name')} />
        </Panel>
        <ScheduleFields {...form} />
        <SourceFields {...form} />
        {(draft.type === 'prompts' || draft.type === 'feed') && <TemplateFields {...form} offer={offer} />}
        <PublishFields {...form} connections={connections} />
        <AdvancedFields {...form} />
        {failure && !wrong && <ErrorNote error={failure} />}
      </div>
      <div className={css['aside']}>
        <Preview
          preview={preview.data}
          obstacle={obstacle(draft, preview.error !== null)}
          items={preview.items}
          zone={draft.zone || zone}
        />
      </div>
      <div className={css['submit']}>
        <Button type="submit" look="primary" busy={save.isPending} disabled={!may || open !== '' || unchanged}>
          {stored ? 'Save' : 'Create automation'}
        </Button>
        <CopyCurl
          command={
            stored
              ? curl('PATCH', `/automations/${String(stored.id)}`, brand.id, { body: changes ?? {} })
              : curl('POST', '/automations', brand.id, { body })
          }
        />
        <span className={css['muted']} role="status">
          {open || (wrong ? 'Correct the marked field.' : failure?.message)}
        </span>
      </div>
    </form>
  );
}

function obstacle(draft: Draft, failed: boolean): string {
  if (previewOf(draft, 'UTC') === null) {
    return 'Choose days and times to see when posts go out.';
  }
  return failed ? 'There is no preview, because the settings cannot be used.' : '';
}

/** usePreview reads the preview of the form after the last change. */
function usePreview(draft: Draft) {
  const { brand, zone } = useWorkspace();
  const wanted = useMemo(() => ({ body: previewOf(draft, zone), items: hasSource(draft) }), [draft, zone]);
  const settled = useDebounced(wanted, 500);
  const query = useQuery({ ...previewQuery(brand.id, settled.body ?? {}), enabled: settled.body !== null });
  return { ...query, items: settled.items };
}

/** useSave sends the form and opens the page of the automation. */
function useSave(id: number | undefined) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [once] = useState(idempotency);
  return useMutation({
    mutationFn: (body: object) =>
      id === undefined
        ? once(body, (key) => createAutomation(body, key))
        : updateAutomation(id, body as AutomationChange),
    onSuccess: (saved) => {
      void automationsChanged(client);
      toast(id === undefined ? 'The automation is created' : 'The automation is saved');
      navigate(pageOf(saved.id));
    },
  });
}
