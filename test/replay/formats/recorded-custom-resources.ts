/** Reads recordings of writes of custom resources (format `custom-resources`). */
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../../shared/api/structural/schema-node';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { readRecording } from '../recording';
import { body, mapOf, shape, text } from '../shape';
import { isRecordedResponse, type RecordedResponse } from './kind-case';
import { expandBody } from './request-body';

export interface CustomResourceCase {
  readonly definition: string;
  /** The schema of the definition. */
  readonly node: SchemaNode;
  /** The stored object of an update; its schema allows everything. */
  readonly old?: JsonObject;
  readonly sent: JsonObject;
  readonly answer: RecordedResponse;
}

/**
 * By the title of a definition, `schemas` holds its `openAPIV3Schema`, and `versions` further members of its version
 * (`subresources`).
 */
export const isCustomResourcesHead = shape({ format: text, schemas: mapOf(body) }, { versions: mapOf(body) });
const isLine = shape({ definition: text, sent: body, answer: isRecordedResponse }, { old: body });

/** The cases of the recording `custom/<topic>`. */
export function customResourceCases(topic: string): readonly CustomResourceCase[] {
  const { head, cases } = readRecording(`custom/${topic}`, isCustomResourcesHead, isLine);
  const nodes = new Map(Object.entries(head.schemas).map(([title, schema]) => [title, readSchema(schema)]));
  return cases.map(({ definition, old, sent, answer: response }) => {
    const node = nodes.get(definition);
    if (node === undefined) throw new Error(`there is no definition ${definition}`);
    return {
      definition,
      node,
      ...(old === undefined ? {} : { old: objectOf(expandBody(old)) }),
      sent: objectOf(expandBody(sent)),
      answer: response,
    };
  });
}

function objectOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Error('not an object');
  return value;
}
