/** Recorded answers to writes of custom resources (test/recordings/custom.ts), for those who replay them. */
import { readSchema } from '../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import { isObject, type JsonObject, type JsonValue } from '../../shared/values/json';
import { expand } from './recorded-rules';
import type { Json } from '../recordings/reference';

export interface CustomAnswer {
  readonly code: number;
  readonly message?: string;
  /** Field, reason and message of each cause; the explanations of patterns are shortened to `(…)`. */
  readonly causes?: readonly (readonly string[])[];
  readonly warnings?: readonly string[];
  /** Without what is new in every run. */
  readonly object?: JsonObject;
}

export interface CustomCase {
  readonly definition: string;
  readonly node: SchemaNode;
  /** What was stored under a schema that allows everything. */
  readonly old?: JsonObject;
  readonly sent: JsonObject;
  readonly answer: CustomAnswer;
}

interface Recording {
  readonly title: string;
  readonly schema: JsonValue;
  readonly cases: readonly { readonly old?: Json; readonly sent: Json; readonly answer: CustomAnswer }[];
}

/** `recording` is one of the area custom. */
export function customCases(recording: unknown): readonly CustomCase[] {
  return (recording as readonly Recording[]).flatMap(({ title, schema, cases }) => {
    const node = readSchema(objectOf(schema));
    return cases.map(({ old, sent, answer }) => ({
      definition: title,
      node,
      ...(old === undefined ? {} : { old: objectOf(expand(old)) }),
      sent: objectOf(expand(sent)),
      answer,
    }));
  });
}

function objectOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Error('not an object');
  return value;
}
