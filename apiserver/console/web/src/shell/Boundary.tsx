// SPDX-License-Identifier: Apache-2.0

import { Component, type ReactNode } from 'react';

import { Button } from '../ui/Button';
import { Empty } from '../ui/Feedback';

interface BoundaryProps {
  readonly children: ReactNode;
  /** What is shown instead of the children; by default an offer to load the page again. */
  readonly fallback?: ReactNode;
}

interface State {
  readonly failed: boolean;
}

/** Boundary replaces children that failed to load or to render. */
export class Boundary extends Component<BoundaryProps, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) {
      return this.props.children;
    }
    if (this.props.fallback) {
      return this.props.fallback;
    }
    return (
      <Empty
        icon="warning"
        title="This page could not be shown"
        action={
          <Button
            look="primary"
            onClick={() => {
              location.reload();
            }}
          >
            Reload
          </Button>
        }
      >
        <p>The console may have been updated since this tab was opened.</p>
      </Empty>
    );
  }
}
