// SPDX-License-Identifier: Apache-2.0

import type { Automation, AutomationFields, AutomationSource, AutomationTemplate } from '../../api/schema.gen';
import { fromInput, inputValue, utc } from '../../lib/time';
import { cronOf, weeklyOf, type Weekly } from './cron';

/** Draft is the content of the form. Empty texts mean the default. */
export interface Draft {
  readonly name: string;
  /** The days and times, unless the schedule is written as cron expressions. */
  readonly weekly: Weekly;
  /** The cron expressions, one a line; null with days and times. */
  readonly cron: string | null;
  readonly zone: string;
  readonly type: AutomationSource['type'];
  readonly prompts: string;
  readonly promptOrder: string;
  readonly exhausted: string;
  readonly url: string;
  readonly include: string;
  readonly exclude: string;
  readonly maxAge: string;
  readonly labels: string;
  readonly cooldown: string;
  readonly repeats: string;
  readonly evergreenOrder: string;
  /** Whether a manifest has a template for videos, which the form does not show. */
  readonly video: boolean;
  readonly context: string;
  readonly slides: string;
  readonly style: string;
  readonly ratio: string;
  readonly world: string;
  readonly title: string;
  readonly caption: string;
  readonly language: string;
  readonly to: 'accounts' | 'platforms';
  readonly accounts: readonly number[];
  readonly platforms: readonly string[];
  readonly mode: string;
  readonly media: string;
  readonly music: boolean;
  readonly approval: string;
  readonly unapproved: string;
  /** Minutes. */
  readonly lead: string;
  /** Minutes. */
  readonly deadline: string;
  readonly catchUp: string;
  readonly concurrency: string;
  readonly runs: string;
  readonly credits: string;
  readonly dedupBy: string;
  readonly dedupDays: string;
  readonly stopFailures: string;
  /** A time in the zone of the automation, as an input of type datetime-local has it. */
  readonly stopAt: string;
  readonly stopRuns: string;
}

export const emptyDraft: Draft = {
  name: '',
  weekly: { days: [1, 2, 3, 4, 5], times: ['09:00'] },
  cron: null,
  zone: '',
  type: 'prompts',
  prompts: '',
  promptOrder: 'sequential',
  exhausted: 'repeat',
  url: '',
  include: '',
  exclude: '',
  maxAge: '',
  labels: '',
  cooldown: '720',
  repeats: '',
  evergreenOrder: 'oldest',
  video: false,
  context: '{{item.title}}',
  slides: '0',
  style: '',
  ratio: '',
  world: '',
  title: '',
  caption: '',
  language: '',
  to: 'accounts',
  accounts: [],
  platforms: [],
  mode: 'direct',
  media: 'auto',
  music: false,
  approval: 'inherit',
  unapproved: 'skip',
  lead: '60',
  deadline: '60',
  catchUp: 'skip',
  concurrency: 'forbid',
  runs: '',
  credits: '',
  dedupBy: 'item',
  dedupDays: '90',
  stopFailures: '',
  stopAt: '',
  stopRuns: '',
};

/** makesShorts reports whether runs create shorts. The other sources publish shorts that exist. */
export function makesShorts(type: AutomationSource['type']): boolean {
  return type === 'prompts' || type === 'feed';
}

/** draftOf returns the form of an automation. zone is the time zone of the brand. */
export function draftOf(a: Automation, zone: string): Draft {
  const { source, template, publish, budget, deduplication: dedup, stop } = a;
  const weekly = weeklyOf(a.schedules ?? []);
  const text = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));
  return {
    ...emptyDraft,
    name: a.name ?? '',
    weekly: weekly ?? emptyDraft.weekly,
    cron: weekly ? null : (a.schedules ?? []).join('\n'),
    zone: a.time_zone ?? '',
    lead: text((a.lead_time_seconds ?? 3600) / 60),
    deadline: text((a.starting_deadline_seconds ?? 3600) / 60),
    catchUp: a.catch_up ?? 'skip',
    concurrency: a.concurrency_policy ?? 'forbid',
    approval: a.approval ?? 'inherit',
    unapproved: a.on_approval_timeout ?? 'skip',
    ...(source
      ? {
          type: source.type,
          prompts: (source.prompts ?? []).map((prompt) => prompt.replace(/\s*\n\s*/g, ' ')).join('\n'),
          ...(source.type === 'prompts' ? { promptOrder: source.order ?? 'sequential' } : {}),
          ...(source.type === 'evergreen' ? { evergreenOrder: source.order ?? 'oldest' } : {}),
          exhausted: source.on_exhausted ?? 'repeat',
          url: source.url ?? '',
          include: (source.include ?? []).join('\n'),
          exclude: (source.exclude ?? []).join('\n'),
          maxAge: text(source.max_age_hours),
          labels: Object.entries(source.labels ?? {})
            .map(([name, value]) => `${name}=${value}`)
            .join('\n'),
          cooldown: text(source.cooldown_hours ?? 720),
          repeats: text(source.max_repeats),
          video: makesShorts(source.type) && !template,
        }
      : {}),
    ...(template
      ? {
          context: template.context,
          slides: text(template.slide_count ?? 0),
          style: template.design_style ?? '',
          ratio: template.aspect_ratio ?? '',
          world: template.image_world ?? '',
          title: template.title ?? '',
          caption: template.caption ?? '',
          language: template.language ?? '',
        }
      : {}),
    ...(publish
      ? {
          to: (publish.platforms ?? []).length > 0 ? 'platforms' : 'accounts',
          accounts: publish.social_data_ids ?? [],
          platforms: publish.platforms ?? [],
          mode: publish.posting_mode ?? 'direct',
          media: publish.media ?? 'auto',
          music: publish.auto_add_music ?? false,
        }
      : {}),
    runs: text(budget?.runs_per_month),
    credits: text(budget?.credits_per_month),
    dedupBy: dedup?.by ?? 'item',
    dedupDays: text(dedup?.window_days ?? 90),
    stopFailures: text(stop?.after_failures),
    stopRuns: text(stop?.after_runs),
    stopAt: stop?.at ? inputValue(new Date(stop.at), a.time_zone ?? zone) : '',
  };
}

/** linesOf returns the lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean);
}

/** labelsOf returns the labels of lines in the form name=value. */
function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** schedulesOf returns the cron expressions of the form. */
export function schedulesOf(draft: Draft): string[] {
  return draft.cron === null ? cronOf(draft.weekly) : linesOf(draft.cron);
}

type Values = Readonly<Record<string, string | number | undefined>>;

/** given returns the members that have a value; undefined if none has. */
function given<Out extends object>(values: Values): Out | undefined {
  const members = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Out);
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

function secondsOf(minutes: string): number | undefined {
  const value = numberOf(minutes);
  return value === undefined ? undefined : Math.round(value * 60);
}

function sourceOf(draft: Draft): AutomationSource {
  const { type } = draft;
  const labels = labelsOf(draft.labels);
  const labelled = Object.keys(labels).length > 0 ? { labels } : {};
  switch (type) {
    case 'prompts':
      return {
        type,
        prompts: linesOf(draft.prompts),
        ...given<Pick<AutomationSource, 'order' | 'on_exhausted'>>({
          order: draft.promptOrder,
          on_exhausted: draft.exhausted,
        }),
      };
    case 'feed': {
      const [include, exclude] = [linesOf(draft.include), linesOf(draft.exclude)];
      return {
        type,
        url: draft.url.trim(),
        ...(include.length > 0 ? { include } : {}),
        ...(exclude.length > 0 ? { exclude } : {}),
        ...given<Pick<AutomationSource, 'max_age_hours'>>({ max_age_hours: numberOf(draft.maxAge) }),
      };
    }
    case 'queue':
      return { type, ...labelled };
    case 'evergreen':
      return {
        type,
        ...labelled,
        ...given<Pick<AutomationSource, 'cooldown_hours' | 'max_repeats' | 'order'>>({
          cooldown_hours: numberOf(draft.cooldown),
          max_repeats: numberOf(draft.repeats),
          order: draft.evergreenOrder,
        }),
      };
  }
}

/** bodyOf returns the settings of the form as POST /automations takes them. zone is the time zone of the brand. */
export function bodyOf(draft: Draft, zone: string): AutomationFields {
  const stopAt = draft.stopAt ? fromInput(draft.stopAt, draft.zone || zone) : null;
  const template = {
    context: draft.context,
    ...(draft.slides === '0' ? {} : { slide_count: Number(draft.slides) }),
    ...given<Partial<AutomationTemplate>>({
      design_style: draft.style,
      aspect_ratio: draft.ratio,
      image_world: draft.world,
      title: draft.title.trim(),
      caption: draft.caption.trim(),
      language: draft.language,
    }),
  };
  const members = {
    name: draft.name.trim(),
    schedules: schedulesOf(draft),
    time_zone: draft.zone || undefined,
    source: sourceOf(draft),
    template: makesShorts(draft.type) && !draft.video ? template : undefined,
    publish: {
      ...(draft.to === 'accounts' ? { social_data_ids: [...draft.accounts] } : { platforms: [...draft.platforms] }),
      posting_mode: draft.mode,
      ...(draft.media === 'auto' ? {} : { media: draft.media }),
      ...(draft.music ? { auto_add_music: true } : {}),
    },
    approval: draft.approval,
    on_approval_timeout: draft.unapproved,
    lead_time_seconds: secondsOf(draft.lead),
    starting_deadline_seconds: secondsOf(draft.deadline),
    catch_up: draft.catchUp,
    concurrency_policy: draft.concurrency,
    budget: given({ runs_per_month: numberOf(draft.runs), credits_per_month: numberOf(draft.credits) }),
    deduplication: given({ by: draft.dedupBy, window_days: numberOf(draft.dedupDays) }),
    stop: given({
      after_failures: numberOf(draft.stopFailures),
      at: stopAt ? utc(stopAt) : undefined,
      after_runs: numberOf(draft.stopRuns),
    }),
  };
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as unknown as AutomationFields;
}

/** hasSource reports whether the form has what the preview of items needs. */
export function hasSource(draft: Draft): boolean {
  switch (draft.type) {
    case 'prompts':
      return linesOf(draft.prompts).length > 0;
    case 'feed':
      return draft.url.trim() !== '';
    case 'queue':
      return linesOf(draft.labels).length > 0;
    case 'evergreen':
      return true;
  }
}

/**
 * previewOf returns the request of the preview. What is still missing in the form is replaced, so that the times are
 * shown from the start. It returns null without a schedule.
 */
export function previewOf(draft: Draft, zone: string): AutomationFields | null {
  const body = bodyOf(draft, zone);
  if ((body.schedules ?? []).length === 0) {
    return null;
  }
  const known = hasSource(draft);
  const template = { ...body.template, context: body.template?.context.trim() || '{{item.title}}' };
  return {
    ...body,
    source: known ? body.source : { type: 'prompts', prompts: ['-'] },
    template: !known || makesShorts(draft.type) ? template : undefined,
    publish: targetsOf(draft) > 0 ? body.publish : { platforms: ['tiktok'] },
  };
}

function targetsOf(draft: Draft): number {
  return draft.to === 'accounts' ? draft.accounts.length : draft.platforms.length;
}

const sourceHints: Readonly<Record<Draft['type'], string>> = {
  prompts: 'Enter at least one prompt.',
  feed: 'Enter the URL of the feed.',
  queue: 'Enter at least one label.',
  evergreen: '',
};

/** missing returns what the user still has to enter; empty if nothing. */
export function missing(draft: Draft): string {
  if (draft.name.trim() === '') {
    return 'Enter a name.';
  }
  if (schedulesOf(draft).length === 0) {
    return draft.cron === null ? 'Choose at least one day and one time.' : 'Enter a cron expression.';
  }
  if (!hasSource(draft)) {
    return sourceHints[draft.type];
  }
  if (makesShorts(draft.type) && !draft.video && draft.context.trim() === '') {
    return 'Enter what a short is about.';
  }
  if (targetsOf(draft) === 0) {
    return draft.to === 'accounts' ? 'Choose at least one account.' : 'Choose at least one platform.';
  }
  return '';
}

type Members = Readonly<Record<string, unknown>>;

/**
 * changesOf returns the JSON merge patch from one body to another: only what changed, and null for members that are
 * gone.
 */
export function changesOf(before: Members, now: Members): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [from, to] = [before[name], now[name]];
    if (JSON.stringify(from) === JSON.stringify(to)) {
      continue;
    }
    out[name] = isMembers(from) && isMembers(to) ? changesOf(from, to) : (to ?? null);
  }
  return out;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
