// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { save } from '../../lib/text';
import { steady } from '../../lib/urls';
import { archive } from './archive';

/** saveSlides offers the images of the slides to the user as one ZIP file. */
export async function saveSlides(id: number, urls: readonly string[]): Promise<void> {
  save(`short-${String(id)}-slides.zip`, 'application/zip', await archive(urls.map(steady)));
}
