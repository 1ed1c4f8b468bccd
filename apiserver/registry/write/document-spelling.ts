/** The spelling of members in patches and applied configurations, which are merged before they are decoded. */
import { badRequest } from '../../../shared/api/errors/status';
import { DecodeError } from '../../../shared/api/types';
import { canonicalMembers } from '../../../shared/api/types/member-spellings';
import type { JsonObject } from '../../../shared/values/json';
import type { KindInfo } from '../object/resource-info';

/** The document with its members as objects of the kind are stored. Throws a 400 StatusError for a member in both spellings with different values. */
export function inStoredSpelling({ type }: Pick<KindInfo, 'type'>, document: JsonObject): JsonObject {
  try {
    return canonicalMembers(type, document);
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}
