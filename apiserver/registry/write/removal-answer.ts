/** What a DELETE comes to, and what is answered when the object has gone. Decides nothing. */
import * as status from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { ResourceInfo } from '../object/resource-info';
import type { DeleteResult } from '../verbs';

/** `marked`: it is said that the object goes at once; what remains is that it does. */
export type Removed = DeleteResult | Marked;

export interface Marked {
  readonly type: 'marked';
  readonly entry: Entry;
  readonly uid: string;
}

export function removedAnswer(info: ResourceInfo, name: string, uid: string, entry: Entry): DeleteResult {
  if (info.row.returnsDeletedObject !== undefined) return { type: 'object', entry, code: 200 };
  return { type: 'status', status: status.deletedStatus(info.gr, name, uid), code: 200 };
}

/** The last state under the revision of its removal. */
export function atRevision(entry: Entry, text: string, revision: number): Entry {
  const bytes = Buffer.from(text.replace(`"resourceVersion":"${entry.revision}"`, `"resourceVersion":"${revision}"`));
  return { ...entry, revision, bytes };
}
