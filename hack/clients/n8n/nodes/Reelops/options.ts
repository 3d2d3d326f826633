// SPDX-License-Identifier: MIT

// The choices of parameters, read from the installation.

import { getCapabilities, listConnections } from '@reelops/client';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { connect, failure, type Functions } from '../../lib/client';

async function capabilities(functions: ILoadOptionsFunctions) {
  try {
    const reelops = await connect(functions as Functions);
    return await reelops.data(getCapabilities({ client: reelops.client }));
  } catch (error) {
    throw failure(functions.getNode(), error);
  }
}

export async function getDesignStyles(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { design_styles: styles } = await capabilities(this);
  return styles.map(({ id, name, description }) => ({ name, value: id, description }));
}

export async function getImageWorlds(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { image_worlds: worlds } = await capabilities(this);
  return worlds.map(({ id, name, description }) => ({ name, value: id, description }));
}

export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { platforms } = await capabilities(this);
  return platforms.map((platform) => ({ name: platform, value: platform }));
}

export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  try {
    const reelops = await connect(this as Functions);
    const { accounts } = await reelops.data(listConnections({ client: reelops.client }));
    return accounts.map(({ social_data_id: id, account_name: name, platform }) => ({
      name: `${name ?? id} (${platform})`,
      value: id,
    }));
  } catch (error) {
    throw failure(this.getNode(), error);
  }
}
