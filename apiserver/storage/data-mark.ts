/**
 * The one value that is no object: the mark under the key prefix, which says whose data lie there, in which format, under which names, whether they are
 * whole, and at which revision clients are to see them begin. It never claims a prefix (reconcilers/ownership.ts does) and never changes a mark.
 */
import type { KeyValue, Revision } from './store';

export const FORMAT = 'cluster-control-plane';

/** Of data that a server wrote from the beginning, and of what objects look like. */
export const FORMAT_VERSION = 1;
/** Of data that were restored: servers that do not know {@link DataMark.firstRevision} must not touch them. */
export const RESTORED_VERSION = 2;

export interface DataMark {
  readonly format: string;
  readonly version: number;
  readonly naming: string;
  /** As which revision the one at which this mark was written is shown to clients; absent = as itself. */
  readonly firstRevision?: Revision;
  /** What is being restored here; absent = the data are whole. */
  readonly restoring?: string;
}

/** `prefix` has no slash at its end. */
export function markKey(prefix: string): string {
  return `${prefix}/platform-format`;
}

export function encodeMark(mark: DataMark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

/** Undefined = not a mark at all. */
export function parseMark(bytes: Buffer): DataMark | undefined {
  const members = membersOf(bytes.toString());
  const format = members.get('format');
  const version = members.get('version');
  const naming = members.get('naming');
  if (typeof format !== 'string' || typeof version !== 'number' || typeof naming !== 'string') return undefined;
  const firstRevision = members.get('firstRevision');
  const restoring = members.get('restoring');
  return {
    format,
    version,
    naming,
    ...(typeof firstRevision === 'number' && Number.isSafeInteger(firstRevision) && { firstRevision }),
    ...(typeof restoring === 'string' && { restoring }),
  };
}

/** None where the text is no object. */
function membersOf(text: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What is no JSON has no members.
  }
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** How far the revisions that clients see are ahead of the store's own. `kv` is what the store itself says of the mark. */
export function revisionShift(kv: KeyValue | undefined): number {
  const firstRevision = kv === undefined ? undefined : parseMark(kv.value)?.firstRevision;
  return kv === undefined || firstRevision === undefined ? 0 : Math.max(0, firstRevision - kv.modRevision);
}
