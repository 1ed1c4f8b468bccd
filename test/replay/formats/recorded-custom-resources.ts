/** Reads recordings of writes of custom resources (format `custom-resources`). */
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../../shared/api/structural/schema-node';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { readRecording } from '../recording';
import type { Body } from '../json-response';
import { body, mapOf, shape, text, type Check } from '../shape';
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

/** `schemas` holds the `openAPIV3Schema` of each definition by the title of the definition. */
export interface CustomResourcesHead {
  readonly format: string;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Further members of a definition's version (`subresources`). */
  readonly versions?: Readonly<Record<string, Body>>;
}

export const isCustomResourcesHead: Check<CustomResourcesHead> = shape({ format: text, schemas: mapOf(body) }, { versions: mapOf(body) });

interface Line {
  readonly definition: string;
  readonly old?: Body;
  readonly sent: Body;
  readonly answer: RecordedResponse;
}

const isLine: Check<Line> = shape({ definition: text, sent: body, answer: isRecordedResponse }, { old: body });

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
