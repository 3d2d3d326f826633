// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from 'react';

/** useDebounced returns the value after it has not changed for the delay in milliseconds. */
export function useDebounced<Value>(value: Value, delay: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, delay);
    return () => {
      clearTimeout(timer);
    };
  }, [value, delay]);
  return settled;
}
