/**
 * The format marker: a key under the key prefix that is not an object. It names the data's owner program, format
 * version and naming dialect, whether a restore is incomplete, and the revision that clients see for the marker. This
 * module encodes and decodes it; claiming a prefix is left to reconcilers/claim-prefix.ts.
 */
import type { KeyValue, Revision } from './store';

/** The owner program in {@link FormatMarker.format}; a server refuses data with another one. */
export const DATA_FORMAT = 'cluster-control-plane';

/** Format version of data written by a server from the start. */
export const DATA_FORMAT_VERSION = 1;
/** Format version of restored data: servers that do not know {@link FormatMarker.firstRevision} must not open them. */
export const RESTORED_FORMAT_VERSION = 2;

/** The content of the marker. */
export interface FormatMarker {
  /** The owner program. */
  readonly format: string;
  readonly version: number;
  /** The naming dialect of the data. */
  readonly naming: string;
  /** The revision that clients see for the revision at which this marker was written; absent: the same. */
  readonly firstRevision?: Revision;
  /** Identifies a restore in progress; absent when the data are complete. */
  readonly restoring?: string;
}

/** `prefix` must not end in a slash. */
export function formatMarkerKey(prefix: string): string {
  return `${prefix}/platform-format`;
}

/** The value of the marker's key. */
export function encodeFormatMarker(marker: FormatMarker): Buffer {
  return Buffer.from(JSON.stringify(marker));
}

/** Undefined when the bytes are not a marker. */
export function parseFormatMarker(bytes: Buffer): FormatMarker | undefined {
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

/** Empty when the text is not a JSON object. */
function membersOf(text: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: treated as an object without members.
  }
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/**
 * The difference between the revisions that clients see and those of the store. `kv` is the marker as the store returns
 * it, unshifted.
 */
export function revisionShift(kv: KeyValue | undefined): number {
  const firstRevision = kv === undefined ? undefined : parseFormatMarker(kv.value)?.firstRevision;
  return kv === undefined || firstRevision === undefined ? 0 : Math.max(0, firstRevision - kv.modRevision);
}
