// SPDX-License-Identifier: Apache-2.0

declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

declare module '*.css';

// The bundler resolves this module to imports of all style sheets.
declare module 'console:styles';
