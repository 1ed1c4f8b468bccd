/** Converts the members of patches and applied configurations to the stored spelling, because these documents are merged before they are decoded. */
import { badRequest } from '../../../shared/api/errors/status';
import { DecodeError } from '../../../shared/api/types';
import { canonicalMembers } from '../../../shared/api/types/member-spellings';
import type { JsonObject } from '../../../shared/values/json';
import type { KindInfo } from '../object/resource-info';

/** The document with members in the stored spelling. Throws a 400 StatusError for a member that has both spellings with different values. */
export function inStoredSpelling({ type }: Pick<KindInfo, 'type'>, document: JsonObject): JsonObject {
  try {
    return canonicalMembers(type, document);
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}
