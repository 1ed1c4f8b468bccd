/**
 * Builds a message of the values that its fields have been given.
 */
import { printDouble, printDuration, printTimestamp } from '../library/printing';
import type { Work } from '../values/equality';
import {
  Duration,
  Failure,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  typeName,
  TypeValue,
  Uint,
  type Value,
} from '../values/value';
import { fieldValue } from './native';
import type { Message } from './messages';

/** The price of every message, whatever it holds. */
export const MESSAGE_COST = 40;

export interface GivenField {
  readonly name: string;
  readonly value: Value;
  /** Written `?name: value`: an optional value, without which the field is as if it were not written. */
  readonly optional: boolean;
}

export function buildMessage(message: Message, given: readonly GivenField[], work: Work): Value {
  const values = new Map<string, Value>();
  for (const { name, value, optional } of given) {
    values.delete(name);
    if (!optional) values.set(name, value);
    else if (!(value instanceof OptionalValue))
      return new Failure(`cannot initialize optional entry '${name}' from non-optional value ${told(value, work)}`);
    else if (value.value !== undefined) values.set(name, value.value);
  }
  const made = new Map<string, Value>();
  for (const [name, value] of values) {
    const field = message.fields.get(name);
    if (field === undefined) return new Failure(`no such field '${name}'`);
    const native = fieldValue(value, field.native, `${message.name}.${name}`, work);
    if (native instanceof Failure) return native;
    made.set(name, native);
  }
  return message.make(made);
}

const MOST_TOLD = 1024;

/** A value as upstream tells it there; what is long is cut. */
function told(value: Value, work: Work): string {
  work.spend(1);
  if (value === null) return '0';
  if (typeof value === 'number') return printDouble(value);
  if (typeof value === 'string') return value.slice(0, MOST_TOLD);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return `${printTimestamp(value).replace('T', ' ').replace('Z', '')} +0000 UTC`;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return `[${[...value.subarray(0, MOST_TOLD)].join(' ')}]`;
  if (value instanceof ListValue) return `[${some(value, (item) => told(item, work))}]`;
  if (value instanceof MapValue) return `{${some(value.keys(), (key) => `${told(key, work)}: ${told(value.find(key) ?? null, work)}`)}}`;
  return (value instanceof OpaqueValue ? value.print() : undefined) ?? typeName(value);
}

function some(values: Iterable<Value>, tell: (value: Value) => string): string {
  let text = '';
  for (const value of values) {
    if (text.length > MOST_TOLD) break;
    text += `${text === '' ? '' : ', '}${tell(value)}`;
  }
  return text;
}
