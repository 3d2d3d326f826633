// SPDX-License-Identifier: Apache-2.0

import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { nameOf } from '../src/lib/names';

const styles = [{ id: 'bold_center', name: 'Bold centre' }];

test('a value has the name of the capabilities', () => {
  equal(nameOf(styles, 'bold_center'), 'Bold centre');
});

test('a value without a name is shown as words', () => {
  equal(nameOf(styles, 'split_screen'), 'Split screen');
  equal(nameOf(undefined, 'bold_center'), 'Bold center');
});
