/** Request bodies with one wrong value in an otherwise valid object. */
import { either, listOf, number, shape, text, type Check } from '../../replay/shape';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';

export interface Mutation {
  /** Member names and indexes; the last may be a member that does not exist yet. */
  readonly path: readonly (string | number)[];
  /** JSON text, so that every spelling of a number survives. */
  readonly value: string;
}

/** A mutation of the full object of a kind, and the decoder's response. */
export interface RecordedMutation extends Mutation {
  readonly kind: string;
  /** What follows `… cannot be handled as a <kind>: ` in the error; absent when the decoder accepts the value. */
  readonly refusal?: string;
}

export const isRecordedMutation: Check<RecordedMutation> = shape(
  { kind: text, path: listOf(either(text, number)), value: text },
  { refusal: text },
);

const MARK = '\u0001mutation\u0001';

/** The text of `object` with the value at its path. */
export function mutatedText(object: JsonObject, { path, value }: Mutation): string {
  const copy = structuredClone(object);
  setMark(copy, path);
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => value);
}

function setMark(object: JsonObject, path: readonly (string | number)[]): void {
  let holder: JsonValue | undefined = object;
  for (const step of path.slice(0, -1)) {
    holder = Array.isArray(holder) ? holder[Number(step)] : isObject(holder) ? holder[step] : undefined;
  }
  const last = path.at(-1) ?? '';
  if (Array.isArray(holder)) holder[Number(last)] = MARK;
  else if (isObject(holder)) holder[last] = MARK;
  else throw new Error(`nothing holds ${path.join('.')}`);
}

/** The paths of all members and items in the value. */
export function mutationPaths(value: JsonValue, path: readonly (string | number)[] = []): (string | number)[][] {
  const below = (key: string | number, item: JsonValue): (string | number)[][] => [[...path, key], ...mutationPaths(item, [...path, key])];
  if (Array.isArray(value)) return value.flatMap((item, index) => below(index, item));
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => below(key, item)) : [];
}
