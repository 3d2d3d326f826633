// SPDX-License-Identifier: Apache-2.0

import './tokens.css';
import './base.css';
import 'uplot/dist/uPlot.min.css';
import 'console:styles';
import './kit';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';

import { watchUser } from './api/attended';
import { whenSessionChanges } from './api/client';
import { asFailure } from './api/errors';
import { takeLinkToken } from './api/session';
import { App } from './shell/App';
import { applyTheme } from './shell/theme';

takeLinkToken();
applyTheme();
watchUser();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && asFailure(error).retryable,
    },
  },
});

whenSessionChanges(() => {
  void client.invalidateQueries({ queryKey: ['session'] });
});

const root = document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
createRoot(root).render(
  <QueryClientProvider client={client}>
    <Router base="/console">
      <App />
    </Router>
  </QueryClientProvider>,
);
