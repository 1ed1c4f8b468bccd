/**
 * The part of an OpenAPI document of custom kinds that recordings hold: its operations, and its schemas with shortened
 * descriptions.
 */
import { isBody, membersOf, type Body, type Json } from '../json-response';

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** By path and method: id, tags, media types, responses, parameters and kind of each operation below `/group`. */
export function operationsIn(document: Json, group: string): Body {
  const operations: Body = {};
  for (const [path, item] of Object.entries(membersOf(membersOf(document)['paths']))) {
    if (!path.startsWith(`/${group}/`)) continue;
    for (const [method, operation] of Object.entries(membersOf(item))) {
      if (method === 'parameters') continue;
      const { description: _, parameters, requestBody, responses, ...members } = membersOf(operation);
      const names = [...listOf(parameters), ...listOf(membersOf(item)['parameters'])].map(parameterName).sort();
      const contents = Object.entries(membersOf(responses)).map(([code, response]): [string, Json] => [code, contentOf(response)]);
      const body = requestBody === undefined ? {} : { requestBody: contentOf(requestBody) };
      operations[`${method} ${path}`] = { ...members, parameters: names, responses: Object.fromEntries(contents), ...body };
    }
  }
  return operations;
}

/** The reference to a shared parameter begins with the parameter's name and ends with a hash of eight characters. */
function parameterName(parameter: Json): string {
  const { name, $ref } = membersOf(parameter);
  if (typeof name === 'string') return name;
  return typeof $ref === 'string' ? ($ref.split('/').pop() ?? '').replace(/-.{8}$/, '') : '';
}

/** Schemas by media type; version 2 has one schema for all media types. */
function contentOf(value: Json): Json {
  const { content, schema } = membersOf(value);
  return content ?? schema ?? null;
}

/** A schema with the first two words of each description: the rest is worded differently. */
export function withShortDescriptions(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withShortDescriptions);
  if (!isBody(schema)) return schema;
  const entries = Object.entries(schema).map(([name, member]): [string, Json] =>
    name === 'description' && typeof member === 'string'
      ? [name, member.split(' ').slice(0, 2).join(' ')]
      : [name, withShortDescriptions(member)],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
