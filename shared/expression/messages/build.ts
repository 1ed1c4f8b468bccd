/**
 * Builds a protobuf message (messages.ts) from field initializers. Errors are values with upstream's messages, because an
 * expression may go on after an error: `true || <error>` is true.
 */
import { printDouble, printDuration, printTimestamp } from '../library/printing';
import type { WorkContext } from '../values/equality';
import {
  Duration,
  ErrorValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  valueTypeName,
  TypeValue,
  Uint,
  type Value,
} from '../values/value';
import { toFieldValue } from './native';
import type { Message } from './messages';

/** The cost of constructing a message, whatever it contains. */
export const MESSAGE_COST = 40;

/** A field of a message that an expression constructs. */
export interface FieldInitializer {
  readonly name: string;
  readonly value: Value;
  /** Whether it is written as `?name: value`: the value is an optional, and when that is empty the field is not set. */
  readonly isOptional: boolean;
}

/** The value of the message, or an ErrorValue. Of several initializers of a field the last one counts. */
export function buildMessage(message: Message, initializers: readonly FieldInitializer[], work: WorkContext): Value {
  const values = new Map<string, Value>();
  for (const { name, value, isOptional } of initializers) {
    values.delete(name);
    if (!isOptional) values.set(name, value);
    else if (!(value instanceof OptionalValue))
      return new ErrorValue(`cannot initialize optional entry '${name}' from non-optional value ${describeValue(value, work)}`);
    else if (value.value !== undefined) values.set(name, value.value);
  }
  const fields = new Map<string, Value>();
  for (const [name, value] of values) {
    const field = message.fields.get(name);
    if (field === undefined) return new ErrorValue(`no such field '${name}'`);
    const native = toFieldValue(value, field.native, `${message.name}.${name}`, work);
    if (native instanceof ErrorValue) return native;
    fields.set(name, native);
  }
  return message.create(fields);
}

/** A value in a message is truncated to about this number of characters. */
const MAX_DESCRIPTION_LENGTH = 1024;

/** A value as upstream's message prints it. */
function describeValue(value: Value, work: WorkContext): string {
  work.spend(1);
  if (value === null) return '0';
  if (typeof value === 'number') return printDouble(value);
  if (typeof value === 'string') return value.slice(0, MAX_DESCRIPTION_LENGTH);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return `${printTimestamp(value).replace('T', ' ').replace('Z', '')} +0000 UTC`;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return `[${[...value.subarray(0, MAX_DESCRIPTION_LENGTH)].join(' ')}]`;
  if (value instanceof ListValue) return `[${describeSome(value, (item) => describeValue(item, work))}]`;
  if (value instanceof MapValue)
    return `{${describeSome(value.keys(), (key) => `${describeValue(key, work)}: ${describeValue(value.find(key) ?? null, work)}`)}}`;
  return (value instanceof OpaqueValue ? value.print() : undefined) ?? valueTypeName(value);
}

function describeSome(values: Iterable<Value>, describe: (value: Value) => string): string {
  let text = '';
  for (const value of values) {
    if (text.length > MAX_DESCRIPTION_LENGTH) break;
    text += `${text === '' ? '' : ', '}${describe(value)}`;
  }
  return text;
}
