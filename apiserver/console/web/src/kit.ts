// SPDX-License-Identifier: Apache-2.0

// The modules that the screens share. esbuild makes a chunk for each set of screens that use the same code, which
// would be dozens of small files. Every screen imports this module, so that all shared code is in one chunk.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';

import * as client from './api/client';
import * as errors from './api/errors';
import * as queries from './api/queries';
import * as session from './api/session';
import * as curl from './lib/curl';
import * as format from './lib/format';
import * as brandmark from './shell/Brandmark';
import * as workspace from './shell/workspace';
import * as button from './ui/Button';
import * as copy from './ui/Copy';
import * as feedback from './ui/Feedback';
import * as field from './ui/Field';
import * as icon from './ui/Icon';
import * as menu from './ui/Menu';
import * as messages from './ui/messages';
import * as page from './ui/Page';
import * as pager from './ui/Pager';
import * as picture from './ui/Picture';

// A call counts as a side effect, so that the bundler keeps all of it for every screen.
Object.freeze([
  [useQuery, useQueryClient, Link, useLocation, useSearchParams],
  [client.answer, client.api, errors.asFailure, errors.Failure, queries.shortsQuery, queries.mediaQuery],
  [curl.curl, format.shortState, format.plural, format.duration, format.sentence],
  [workspace.useWorkspace, session.signInByLink, brandmark.Brandmark],
  [button.Button, button.ButtonLink, button.IconButton, button.Outside, copy.Command, copy.CopyButton, copy.CopyCurl],
  [feedback.Badge, feedback.Empty, feedback.ErrorNote, feedback.Loading],
  [feedback.Note, field.Segmented, field.SelectField],
  [field.TextField, icon.Icon, icon.PlatformIcon, messages.toast, page.Page],
  [menu.Menu, menu.MenuItem, page.Toolbar, pager.Pager, picture.Avatar, picture.Picture, picture.sameOrigin],
]);
