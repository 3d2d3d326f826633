// SPDX-License-Identifier: Apache-2.0

import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';

import { ButtonLink } from '../ui/Button';
import { Empty, Loading } from '../ui/Feedback';
import { Boundary } from './Boundary';

const Library = lazy(() => import('../screens/library/Library'));
const Create = lazy(() => import('../screens/create/Create'));
const Short = lazy(() => import('../screens/short/Short'));
const Composer = lazy(() => import('../screens/composer/Composer'));
const Editor = lazy(() => import('../screens/editor/Editor'));
const Calendar = lazy(() => import('../screens/calendar/Calendar'));
const Post = lazy(() => import('../screens/post/Post'));
const Approvals = lazy(() => import('../screens/approvals/Approvals'));
const Automations = lazy(() => import('../screens/automations/Automations'));
const Media = lazy(() => import('../screens/media/Media'));
const Connections = lazy(() => import('../screens/connections/Connections'));
const Activity = lazy(() => import('../screens/activity/Activity'));
const Analytics = lazy(() => import('../screens/analytics/Analytics'));
const Authorize = lazy(() => import('../screens/settings/Settings').then((m) => ({ default: m.Authorize })));
const Settings = lazy(() => import('../screens/settings/Settings'));

/** Screens shows the screen of the address. Each screen is loaded when it is opened for the first time. */
export function Screens() {
  const [path] = useLocation();
  return (
    <Boundary key={path}>
      <Suspense fallback={<Loading lines={6} />}>
        <Switch>
          <Route path="/" component={Library} />
          <Route path="/create" component={Create} />
          <Route path="/shorts/:id">{(params) => <Short key={params.id} id={Number(params.id)} />}</Route>
          <Route path="/shorts/:id/publish">{(params) => <Composer key={params.id} id={Number(params.id)} />}</Route>
          <Route path="/shorts/:id/edit">{(params) => <Editor key={params.id} id={Number(params.id)} />}</Route>
          <Route path="/posts/:id">{(params) => <Post key={params.id} id={Number(params.id)} />}</Route>
          <Route path="/calendar" component={Calendar} />
          <Route path="/approvals" component={Approvals} />
          <Route path="/automations/*?" component={Automations} />
          <Route path="/media" component={Media} />
          <Route path="/connections" component={Connections} />
          <Route path="/activity" component={Activity} />
          <Route path="/analytics" component={Analytics} />
          <Route path="/settings" component={Settings} />
          <Route path="/authorize" component={Authorize} />
          <Route>
            <Missing />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

function Missing() {
  return (
    <Empty icon="search" title="There is no such page" action={<ButtonLink to="/">Open the library</ButtonLink>}>
      <p>Check the address.</p>
    </Empty>
  );
}
