// SPDX-License-Identifier: Apache-2.0

// The modules that all screens except the library share, as one chunk. The library opens first and needs none of them.

import './kit';

import { useMutation } from '@tanstack/react-query';

import * as idempotency from './api/idempotency';
import * as names from './lib/names';
import * as posts from './lib/posts';
import * as time from './lib/time';
import * as dialog from './ui/Dialog';
import * as leaving from './ui/Leaving';
import * as meter from './ui/Meter';
import * as fields from './ui/MoreFields';
import * as panel from './ui/Panel';

Object.freeze([
  [useMutation, idempotency.idempotency, names.nameOf],
  [posts.postState, posts.cancellable, posts.postTime, time.fromInput, time.inputValue],
  [dialog.Confirm, dialog.Dialog, leaving.Leaving, meter.Meter, fields.AreaField, fields.CheckField],
  [panel.Fact, panel.Facts, panel.Panel],
]);
