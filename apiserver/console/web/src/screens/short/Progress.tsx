// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { errorQuery } from '../../api/queries';
import type { JobError, ShortDetail } from '../../api/schema.gen';
import { time } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { Prose } from '../../ui/Feedback';
import { Meter } from '../../ui/Meter';
import { Icon } from '../../ui/Icon';
import css from './short.module.css';

type StepState = 'done' | 'active' | 'waiting' | 'failed';

interface Step {
  readonly name: string;
  readonly state: StepState;
}

const stateNames: Readonly<Record<StepState, string>> = {
  done: 'done',
  active: 'in progress',
  waiting: 'waiting',
  failed: 'failed',
};

/** Progress shows the way from the text to the video, and the error if the work failed. */
export function Progress({ short }: { readonly short: ShortDetail }) {
  const { zone } = useWorkspace();
  const { job } = short;
  const steps = stepsOf(short);
  const current = steps.find((s) => s.state === 'active' || s.state === 'failed');
  return (
    <section className={css['progress']} aria-label="Progress">
      <ol className={css['steps']}>
        {steps.map((step, i) => (
          <li key={step.name} className={classes(css['step'], css[step.state])}>
            <span className={css['mark']}>
              {step.state === 'done' && <Icon name="check" />}
              {step.state === 'failed' && <Icon name="close" />}
              {(step.state === 'active' || step.state === 'waiting') && i + 1}
            </span>
            {step.name}
            <span className={css['unseen']}>, {stateNames[step.state]}</span>
          </li>
        ))}
      </ol>
      {job && job.status !== 'failed' && job.status !== 'succeeded' && (
        <>
          <Meter value={job.status === 'queued' ? null : job.progress / 100} label={current?.name ?? 'Progress'} />
          <p className={css['status']} role="status">
            {job.status_message}
            {job.estimated_completion_at && <> Expected at {time(job.estimated_completion_at, zone)}.</>}
          </p>
        </>
      )}
      {job?.status === 'failed' && job.error && <JobFailure error={job.error} />}
    </section>
  );
}

function JobFailure({ error }: { readonly error: JobError }) {
  const entry = useQuery(errorQuery(error.code));
  return (
    <div className={css['failure']} role="alert">
      <p dir="auto">
        <strong>{error.message}</strong>
      </p>
      {entry.data && (
        <p>
          <Prose text={`${entry.data.cause} ${entry.data.fix}`} />
        </p>
      )}
      <div className={css['row']}>
        <ButtonLink to="/create" small>
          Create again
        </ButtonLink>
      </div>
    </div>
  );
}

function stepsOf(short: ShortDetail): readonly Step[] {
  const video = short.short_type === 'UGC';
  const hasText = video
    ? 'hook_text' in short.type_data && short.type_data.hook_text !== null
    : short.text !== null || short.title !== null;
  const hasParts = video ? short.revision > 0 : short.status === 'success_slideshow';
  const hasVideo = short.video_url !== null && short.render_status === 'succeeded';
  const failed = short.status === 'failed' || short.render_status === 'failed' || short.job?.status === 'failed';
  const done = [hasText || hasParts || hasVideo, hasParts || hasVideo, hasVideo];
  const names = video ? ['Text', 'Voice and clips', 'Video'] : ['Text', 'Slides', 'Video'];
  const next = done.indexOf(false);
  return names.map((name, i) => {
    if (done[i]) {
      return { name, state: 'done' };
    }
    if (i !== next) {
      return { name, state: 'waiting' };
    }
    return { name, state: failed ? 'failed' : 'active' };
  });
}
