// SPDX-License-Identifier: Apache-2.0

import type { Automation, AutomationCondition, AutomationRun } from '../../api/schema.gen';
import type { State, Tone } from '../../lib/format';

export function nameOf({ name, id }: Pick<Automation, 'name' | 'id'>): string {
  return name ?? `Automation ${String(id)}`;
}

/** automationState returns the state of an automation. Without conditions, the controller has not read it yet. */
export function automationState(a: Pick<Automation, 'paused' | 'ready' | 'conditions'>): State {
  if (a.paused) {
    return { text: 'Paused', tone: 'neutral' };
  }
  if (a.ready) {
    return { text: 'Running', tone: 'good' };
  }
  return a.conditions.length === 0
    ? { text: 'Being set up', tone: 'info' }
    : { text: 'Needs attention', tone: 'warn' };
}

const runStates: Readonly<Record<AutomationRun['status'], State>> = {
  pending: { text: 'Pending', tone: 'neutral' },
  creating: { text: 'Creating', tone: 'info' },
  awaiting_approval: { text: 'Awaiting approval', tone: 'warn' },
  scheduled: { text: 'Scheduled', tone: 'info' },
  succeeded: { text: 'Succeeded', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
  missed: { text: 'Missed', tone: 'warn' },
  skipped: { text: 'Skipped', tone: 'neutral' },
};

export function runState(run: Pick<AutomationRun, 'status'>): State {
  return runStates[run.status];
}

const conditionNames: Readonly<Record<string, string>> = {
  source_reachable: 'Source',
  accounts_connected: 'Accounts',
  within_plan: 'Plan',
  within_budget: 'Budget',
  awaiting_approval: 'Approval',
  failing: 'Runs',
};

/** Observation is a condition as the page shows it. */
export interface Observation {
  readonly name: string;
  readonly tone: Tone;
  readonly text: string;
}

/** observationsOf returns the conditions that users know. */
export function observationsOf(conditions: readonly AutomationCondition[]): Observation[] {
  return conditions.flatMap(({ type, status, message }) => {
    const name = conditionNames[type];
    if (!name) {
      return [];
    }
    if (type === 'awaiting_approval') {
      const text = status ? 'Posts of a run wait for approval' : message;
      return [{ name, text, tone: status ? 'warn' : 'good' } as const];
    }
    const fine = type === 'failing' ? !status : status;
    return [{ name, text: message, tone: fine ? 'good' : 'warn' } as const];
  });
}
