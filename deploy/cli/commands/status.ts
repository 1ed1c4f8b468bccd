/**
 * `platform status`: the state of a control plane, collected from its data folder and its API servers. An API server that
 * cannot be reached is reported as not ready; the exit code states the whole state.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readFileIfExists } from '../../../shared/runtime/files/read-file-if-exists';
import type { Credential } from '../../../shared/pki/certificates';
import { appendToKey } from '../../../shared/values/append';
import { listCertificates, type CertificateFile } from '../../local/certificate-files';
import { layoutOf, type Layout } from '../../local/plan';
import { isReady } from '../../local/readiness';
import { findControlPlane, type Replica, type RunState } from '../../local/run-state';
import { readLeaders, readStoreBytes, type ControllerLease } from './cluster-state';
import type { StatusFlags } from './flags';
import type { CommandHost } from '../terminal/host';
import { formatTable } from '../terminal/text-table';
import { formatBytes, formatRemaining, formatSpan } from '../terminal/units';

/** As `systemctl status`: nothing runs. */
export const STOPPED_EXIT_CODE = 3;
/** As `systemctl status`: the state is unknown. */
export const UNKNOWN_EXIT_CODE = 4;

/** The JSON output of the command. Members are null when they are not known. */
export interface Status {
  readonly state: 'running' | 'not ready' | 'starting' | 'stopped' | 'unknown';
  /** The process of another container or machine that uses the folder, when the state is unknown for that reason. */
  readonly holder: string | null;
  readonly dataDir: string;
  readonly pid: number | null;
  /** RFC 3339. */
  readonly startedAt: string | null;
  /** The https URL of the first API server. */
  readonly address: string | null;
  readonly replicas: readonly (Replica & { readonly ready: boolean })[];
  /** Empty when no API server responds. */
  readonly leaders: readonly ControllerLease[];
  /** `bytes` is null when no API server reports the size of etcd. */
  readonly store: { readonly kind: 'embedded' | 'etcd'; readonly location: string; readonly bytes: number | null } | null;
  /** The folder of the logs. */
  readonly logs: string | null;
  readonly certificates: readonly CertificateFile[];
}

/**
 * Resolves to the exit code: 0 while all API servers are ready, 1 while one is not ready or the control plane starts, and
 * those of `systemctl status` when it is stopped or unknown.
 */
export async function status({ 'data-dir': folder, output }: StatusFlags, host: CommandHost): Promise<number> {
  const dataDir = path.resolve(host.directory, folder);
  const collected = await collectStatus(dataDir, host);
  host.write(output === 'json' ? `${JSON.stringify(collected, undefined, 2)}\n` : formatStatus(collected, host.clock.now()));
  if (collected.state === 'stopped') return STOPPED_EXIT_CODE;
  if (collected.state === 'unknown') return UNKNOWN_EXIT_CODE;
  return collected.state === 'running' ? 0 : 1;
}

async function collectStatus(dataDir: string, host: CommandHost): Promise<Status> {
  const layout = layoutOf(dataDir);
  const running = findControlPlane(layout);
  const certificates = listCertificates(layout, host.clock);
  const empty = { dataDir, holder: null, startedAt: null, address: null, replicas: [], leaders: [], logs: null, certificates };
  if (running.kind === 'elsewhere') {
    return { ...empty, state: 'unknown', holder: running.holder, pid: null, store: embeddedStore(layout) };
  }
  if (running.kind === 'stopped') return { ...empty, state: 'stopped', pid: null, store: embeddedStore(layout) };
  if (running.kind === 'starting') return { ...empty, state: 'starting', pid: running.pid, store: null };
  return { ...empty, ...(await collectRunning(running.state, layout, host)) };
}

type RunningStatus = Omit<Status, 'dataDir' | 'holder' | 'certificates'>;

async function collectRunning(state: RunState, layout: Layout, host: CommandHost): Promise<RunningStatus> {
  const { pid, startedAt, logs, etcdServers } = state;
  const authority = readText(layout, 'ca.crt');
  const admin: Credential = { certificate: readText(layout, 'admin.crt'), key: readText(layout, 'admin.key') };
  const replicas = await Promise.all(
    state.replicas.map(async (replica) => ({ ...replica, ready: await isReady({ address: replica.address, authority, admin }) })),
  );
  const ready = replicas.find((replica) => replica.ready);
  const server = ready === undefined ? undefined : { address: ready.address, authority, admin };
  const leaders = server === undefined ? [] : await readLeaders(server, host);
  const location = etcdServers.join(',');
  const store =
    etcdServers.length === 0
      ? embeddedStore(layout)
      : ({ kind: 'etcd', location, bytes: server === undefined ? null : await readStoreBytes(server, host.clock) } as const);
  return {
    state: replicas.every((replica) => replica.ready) ? 'running' : 'not ready',
    pid,
    startedAt,
    address: state.replicas[0]?.address ?? null,
    replicas,
    leaders,
    store,
    logs: logs === '' ? null : logs,
  };
}

const readText = ({ pki }: Layout, file: string): string => readFileIfExists(path.join(pki, file))?.toString() ?? '';

function embeddedStore({ store }: Layout): Status['store'] {
  const folder = statSync(store, { throwIfNoEntry: false });
  if (folder === undefined) return null;
  const files = readdirSync(store).map((name) => statSync(path.join(store, name), { throwIfNoEntry: false }));
  return { kind: 'embedded', location: store, bytes: files.reduce((sum, file) => sum + (file?.isFile() === true ? file.size : 0), 0) };
}

/** The text for a terminal. `now`: milliseconds since 1970. */
export function formatStatus(status: Status, now: number): string {
  const { state, dataDir, address, store, logs, replicas, leaders, certificates } = status;
  const size = store?.bytes === null || store === null ? '' : `, ${formatBytes(store.bytes)}`;
  const facts = [
    ['state', state + holderText(status, now)],
    ['data folder', dataDir],
    ...(address === null ? [] : [['address', address]]),
    ...(store === null ? [] : [['store', `${store.kind}${size}, ${store.location}`]]),
    ...(logs === null ? [] : [['logs', logs]]),
  ];
  const width = Math.max(...facts.map(([name = '']) => name.length));
  const sections = [
    facts.map(([name = '', value]) => `${name.padEnd(width)}   ${value}\n`).join(''),
    replicas.length === 0
      ? ''
      : formatTable(
          ['REPLICA', 'ADDRESS', 'READY'],
          replicas.map((row) => [row.name, row.address, row.ready ? 'yes' : 'no']),
        ),
    leaders.length === 0 ? '' : leadersTable(leaders, now),
    certificates.length === 0 ? '' : certificatesTable(certificates),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

/** The process that uses the data folder, in brackets; empty when it is not known. */
function holderText({ holder, pid, startedAt }: Status, now: number): string {
  if (holder !== null) return ` (${holder} uses the folder)`;
  if (pid === null) return '';
  const age = startedAt === null ? '' : `, for ${formatSpan(now - Date.parse(startedAt))}`;
  return ` (process ${pid}${age})`;
}

/** One row for each process that leads controllers, and one for the Leases without a holder. */
function leadersTable(leaders: readonly ControllerLease[], now: number): string {
  const byHolder = groupByHolder(leaders);
  const rows = [...byHolder].map(([holder, leases]) => {
    const renewed = Math.max(...leases.map(({ renewedAt }) => Date.parse(renewedAt)));
    const names = leases.map(({ controller }) => controller);
    return [
      holder === '' ? '(none)' : holder,
      names.length > 3 ? `${names.length} controllers` : names.join(', '),
      `${formatSpan(now - renewed)} ago`,
    ];
  });
  return formatTable(['LEADER', 'OF', 'RENEWED'], rows);
}

function groupByHolder(leaders: readonly ControllerLease[]): ReadonlyMap<string, readonly ControllerLease[]> {
  const groups = new Map<string, ControllerLease[]>();
  for (const lease of leaders) appendToKey(groups, lease.holder, lease);
  return groups;
}

/** Also the output of `platform certificates`. */
export function certificatesTable(certificates: readonly CertificateFile[]): string {
  const rows = certificates.map(({ name, subject, issuer, expires, remainingMs, isAuthority }) => [
    name,
    subject,
    isAuthority ? '(authority)' : issuer,
    expires.slice(0, 10),
    formatRemaining(remainingMs),
  ]);
  return formatTable(['CERTIFICATE', 'SUBJECT', 'ISSUER', 'EXPIRES', 'REMAINING'], rows);
}
