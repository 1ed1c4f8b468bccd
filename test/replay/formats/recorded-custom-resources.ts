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
  readonly schema: SchemaNode;
  /** The stored object of an update. It was stored through v1, which allows every object, so it may be invalid. */
  readonly old?: JsonObject;
  readonly sent: JsonObject;
  readonly answer: RecordedResponse;
}

/**
 * `schemas`: the `openAPIV3Schema` of each definition, by the title of the definition. `versions`: other members of the
 * definition's version, such as `subresources`, by the same titles.
 */
export const isCustomResourcesHead = shape({ format: text, schemas: mapOf(body) }, { versions: mapOf(body) });
const isLine = shape({ definition: text, sent: body, answer: isRecordedResponse }, { old: body });

/** The cases of the recording `custom/<topic>`. */
export function customResourceCases(topic: string): readonly CustomResourceCase[] {
  const { head, cases } = readRecording(`custom/${topic}`, isCustomResourcesHead, isLine);
  const schemas = new Map(Object.entries(head.schemas).map(([title, text]) => [title, readSchema(text)]));
  return cases.map(({ definition, old, sent, answer: response }) => {
    const schema = schemas.get(definition);
    if (schema === undefined) throw new Error(`there is no definition ${definition}`);
    return {
      definition,
      schema,
      ...(old === undefined ? {} : { old: objectOf(expandBody(old), `${topic}: old`) }),
      sent: objectOf(expandBody(sent), `${topic}: sent`),
      answer: response,
    };
  });
}

/** `title` names the value in the error. */
function objectOf(value: JsonValue, title: string): JsonObject {
  if (!isObject(value)) throw new Error(`${title} is not an object: ${JSON.stringify(value)}`);
  return value;
}
