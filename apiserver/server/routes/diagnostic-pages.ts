/**
 * Text pages about a running server, for people: `/statusz` and `/flagz`, as upstream's components serve them from
 * release 1.32 on. Their format is no interface. Both need the permission to get the path.
 */
import { RELEASE } from '../../../shared/names/dialect';
import type { StoreStatus } from '../../storage/store';

/** What `/statusz` shows. Sizes are in bytes, times in milliseconds since the epoch. */
export interface ServerStatus {
  readonly now: number;
  readonly startedAt: number;
  readonly runtime: string;
  readonly problems: readonly string[];
  readonly replicas: readonly { readonly ip: string; readonly port: number }[];
  /** `undefined` while the store does not respond. */
  readonly store: StoreStatus | undefined;
  readonly revision: number;
  readonly eventWindow: { readonly events: number; readonly bytes: number };
  /** Objects and open watches by type name. */
  readonly types: readonly { readonly name: string; readonly objects: number; readonly watches: number }[];
  readonly requests: { readonly readOnly: number; readonly mutating: number };
  readonly connections: number;
  readonly memory: { readonly resident: number; readonly heap: number };
  readonly servingCertificateExpiry: number;
}

const WARNING = 'Warning: This page is for people. Its format may change in any release.';

/** A line for each value, then a table of the types in use. */
export function formatStatusPage(status: ServerStatus): string {
  const { store, requests, memory, eventWindow } = status;
  const rows: readonly (readonly [string, string])[] = [
    ['Started', formatTime(status.startedAt)],
    ['Up', formatUptime(status.now - status.startedAt)],
    ['Version', RELEASE.gitVersion],
    ['Runtime', status.runtime],
    ['Problems', status.problems.length === 0 ? 'none' : status.problems.join('; ')],
    ['Replicas', status.replicas.map(({ ip, port }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)).join(', ')],
    ['Store', store === undefined ? 'does not respond' : `${store.version}, revision ${store.revision}, ${formatSize(store.size)}`],
    ['Cache', `revision ${status.revision}, ${eventWindow.events} recent changes in ${formatSize(eventWindow.bytes)}`],
    ['Requests', `${requests.readOnly} reading, ${requests.mutating} writing`],
    ['Connections', String(status.connections)],
    ['Memory', `${formatSize(memory.resident)} resident, ${formatSize(memory.heap)} heap`],
    ['Serving certificate', `expires ${formatTime(status.servingCertificateExpiry)}`],
  ];
  const head = rows.map(([label, text]) => `${label}: ${text}`);
  return `${['apiserver statusz', WARNING, '', ...head, '', ...formatTypes(status.types)].join('\n')}\n`;
}

/** `lines` are the flags of the server, one in each. */
export function formatFlagPage(lines: readonly string[]): string {
  return `${['apiserver flags', WARNING, '', ...lines].join('\n')}\n`;
}

/** The types with objects or watches, those with most objects first. */
function formatTypes(types: ServerStatus['types']): readonly string[] {
  const inUse = types.filter(({ objects, watches }) => objects > 0 || watches > 0);
  const sorted = inUse.sort((a, b) => b.objects - a.objects || (a.name < b.name ? -1 : 1));
  const width = Math.max(...sorted.map(({ name }) => name.length), 'Resource'.length) + 2;
  const line = (name: string, objects: string, watches: string): string => name.padEnd(width) + objects.padStart(10) + watches.padStart(10);
  return [
    line('Resource', 'Objects', 'Watches'),
    ...sorted.map(({ name, objects, watches }) => line(name, String(objects), String(watches))),
  ];
}

const MEGABYTE = 1024 * 1024;

const formatSize = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

const formatTime = (time: number): string => new Date(time).toUTCString();

function formatUptime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const padded = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${padded(Math.floor(seconds / 60) % 60)} min ${padded(seconds % 60)} sec`;
}
