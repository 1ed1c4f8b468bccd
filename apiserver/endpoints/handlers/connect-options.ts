/**
 * Converts the query of a connect request to an object of its options kind (`PodExecOptions`, `ServiceProxyOptions`),
 * which admission sees. The type tables state which parameters there are; others are ignored.
 */
import { schemaOf } from '../../../shared/api/types';
import { setMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { Query } from '../request/query';
import type { ResourceRequest } from '../request/request-info';

/** `type` is the options kind. Its member `path` gets the segments after the subresource. */
export function connectOptions(type: string, query: Query, { rest }: ResourceRequest): JsonObject {
  const options: JsonObject = {};
  for (const { name, type: field } of schemaOf(type).fields) {
    const value = name === 'path' ? subpath(rest) : parameterValue(query, name, field);
    if (value !== undefined) setMember(options, name, value);
  }
  return options;
}

/** The type of a member of an options kind. */
type Field = ReturnType<typeof schemaOf>['fields'][number]['type'];

/** The value of a query parameter as a member of that type; `undefined` when the parameter is absent. */
function parameterValue(query: Query, name: string, field: Field): JsonValue | undefined {
  return field.kind === 'list' ? listValue(query.getAll(name), field.element) : scalarValue(query, name, field);
}

/** The path after the subresource; `undefined` when there is none. */
const subpath = (rest: readonly string[]): string | undefined => (rest.length === 0 ? undefined : `/${rest.join('/')}`);

const isInteger = (field: Field): boolean => field.kind === 'scalar' && field.scalar.startsWith('int');

/** The query parameters of a member that is a list; `undefined` without any. */
function listValue(texts: readonly string[], element: Field): JsonValue | undefined {
  if (texts.length === 0) return undefined;
  if (!isInteger(element)) return [...texts];
  // `ports=80,443` and `ports=80&ports=443` are the same list. Invalid numbers are ignored.
  const numbers = texts.flatMap((text) => text.split(',')).map(Number);
  return numbers.filter(Number.isSafeInteger);
}

/** The query parameter of another member; `undefined` when it is absent or empty. */
function scalarValue(query: Query, name: string, field: Field): JsonValue | undefined {
  if (field.kind === 'scalar' && field.scalar === 'bool') return query.boolean(name);
  const text = query.get(name);
  if (text === undefined || text === '') return undefined;
  return isInteger(field) ? Number(text) : text;
}
