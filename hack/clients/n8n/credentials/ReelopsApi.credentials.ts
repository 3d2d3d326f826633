// SPDX-License-Identifier: MIT

import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

/** ReelopsApi is the URL of an installation and an API key of it. */
export class ReelopsApi implements ICredentialType {
  name = 'reelopsApi';

  displayName = 'Reelops API';

  icon = { light: 'file:../icons/reelops.svg', dark: 'file:../icons/reelops.dark.svg' } as const;

  documentationUrl = 'https://github.com/reelops/reelops/tree/main/hack/clients/n8n#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'https://reelops.example',
      description: 'The public URL of the Reelops installation',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      placeholder: 'rlo_...',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}', url: '/api/v1/account' },
  };
}
