/**
 * Encodes a Status in a dialect: groups and a system namespace in its message and details use the client's spelling.
 * The Status itself is not changed.
 */
import type { JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { groupInDialect, messageInDialect, messageWithAlias, type Dialect, type NamespaceAlias } from '../../../shared/names/dialect';

/** The Status as JSON, with its members in wire order. `alias` is the client's name of a system namespace. */
export function statusJson(status: Status, dialect: Dialect, alias?: NamespaceAlias): JsonObject {
  const toDialect = (text: string): string => messageWithAlias(alias, messageInDialect(dialect, text));
  const json: JsonObject = { kind: status.kind, apiVersion: status.apiVersion, metadata: { ...status.metadata }, status: status.status };
  if (status.message !== undefined && status.message !== '') json['message'] = toDialect(status.message);
  if (status.reason !== undefined) json['reason'] = status.reason;
  if (status.details !== undefined) json['details'] = detailsJson(status.details, dialect, toDialect);
  if (status.code !== undefined) json['code'] = status.code;
  return json;
}

function detailsJson(details: NonNullable<Status['details']>, dialect: Dialect, toDialect: (text: string) => string): JsonObject {
  const json: JsonObject = {};
  if (details.name !== undefined) json['name'] = details.kind === 'namespaces' ? toDialect(details.name) : details.name;
  if (details.group !== undefined) json['group'] = groupInDialect(dialect, details.group);
  if (details.kind !== undefined) json['kind'] = details.kind;
  if (details.uid !== undefined) json['uid'] = details.uid;
  if (details.causes !== undefined) {
    json['causes'] = details.causes.map((cause) => ({
      ...(cause.reason === undefined ? {} : { reason: cause.reason }),
      ...(cause.message === undefined ? {} : { message: toDialect(cause.message) }),
      ...(cause.field === undefined ? {} : { field: cause.field }),
    }));
  }
  if (details.retryAfterSeconds !== undefined && details.retryAfterSeconds > 0) json['retryAfterSeconds'] = details.retryAfterSeconds;
  return json;
}
