// SPDX-License-Identifier: MIT

import type { Reelops } from '@reelops/client';
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeProperties,
  NodeOperationError,
  tryToParseDateTime,
} from 'n8n-workflow';

/** Operation runs an operation of the node for one item, and returns the data of one or more items. */
export type Operation = (call: Call) => Promise<object | object[]>;

/** Resource is one choice of the parameter Resource. */
export interface Resource {
  /** The parameters, the choice of the operation first. */
  readonly properties: INodeProperties[];
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Call is the execution of an operation for one item. It reads the parameters of the node. */
export class Call {
  constructor(
    readonly functions: IExecuteFunctions,
    readonly reelops: Reelops,
    readonly index: number,
  ) {}

  /** client is the client to pass to the operations of the API. */
  get client() {
    return this.reelops.client;
  }

  text(name: string): string {
    return String(this.functions.getNodeParameter(name, this.index)).trim();
  }

  number(name: string): number {
    return Number(this.functions.getNodeParameter(name, this.index));
  }

  flag(name: string): boolean {
    return this.functions.getNodeParameter(name, this.index) === true;
  }

  /** id returns a parameter that has the id of a record. */
  id(name: string): number {
    return this.#id(name, this.functions.getNodeParameter(name, this.index));
  }

  /** ids returns a parameter that has ids as a list, or separated by commas. */
  ids(name: string): number[] {
    return this.list(name).map((id) => this.#id(name, id));
  }

  /** list returns a parameter that has texts as a list, or separated by commas. */
  list(name: string): string[] {
    const value = this.functions.getNodeParameter(name, this.index);
    const items = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',');
    return items.map((item) => item.trim()).filter((item) => item !== '');
  }

  /** time returns a date and time with an offset. One without an offset is in the time zone of the workflow. */
  time(name: string): string {
    const value = this.functions.getNodeParameter(name, this.index);
    try {
      return String(tryToParseDateTime(value, this.functions.getTimezone()).toISO());
    } catch (error) {
      throw new NodeOperationError(this.functions.getNode(), error as Error, { itemIndex: this.index });
    }
  }

  /** given returns the members of a collection that have a value. */
  given(name: string): IDataObject {
    const all = this.functions.getNodeParameter(name, this.index, {}) as IDataObject;
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== undefined));
  }

  /**
   * body returns the body of a request: what the operation requires, the collection "fields" and, with precedence, the
   * JSON object in its member "json".
   */
  body<Body extends object>(required: Partial<Body>): Body {
    const { json, voiceOver, ...fields } = this.given('fields');
    return {
      ...required,
      ...fields,
      ...(voiceOver === true ? { voice: { mode: 'speak' } } : {}),
      ...(json === undefined ? {} : this.#object(json)),
    } as Body;
  }

  #object(json: unknown): object {
    const { functions, index } = this;
    let value = json;
    if (typeof json === 'string') {
      try {
        value = JSON.parse(json);
      } catch (error) {
        throw new NodeOperationError(functions.getNode(), `More Fields (JSON): ${(error as Error).message}`, {
          itemIndex: index,
        });
      }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new NodeOperationError(functions.getNode(), 'More Fields (JSON) is no JSON object', { itemIndex: index });
    }
    return value;
  }

  #id(name: string, value: unknown): number {
    const id = typeof value === 'string' ? Number(value.trim() || Number.NaN) : value;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) {
      const message = `The parameter ${name} is no id of a record: ${JSON.stringify(value)}`;
      throw new NodeOperationError(this.functions.getNode(), message, { itemIndex: this.index });
    }
    return id;
  }
}
