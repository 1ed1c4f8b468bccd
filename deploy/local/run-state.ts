/**
 * Describes a running control plane to other commands, in `<data-dir>/run/control-plane.json`: written when it is ready,
 * removed when it stops. A file of a supervisor that was killed is ignored, because its process id is no longer that of
 * the live supervisor (process-file.ts).
 */
import { rmSync } from 'node:fs';
import { arrayAt, isObject, ownMember, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';
import { tryParseObject } from '../../shared/client/rest/json-body';
import { findForeignHolder } from '../../shared/runtime/files/folder-lock';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import { writeFileAtomically } from '../cluster/files';
import type { RunnerOptions } from './options';
import { apiServerPlans, layoutOf, type Layout } from './plan';
import { livePid } from './process-file';

/** One API server of a running control plane. */
export interface Replica {
  readonly name: string;
  /** The https URL. */
  readonly address: string;
  /** The http URL; `''` for none. */
  readonly insecureAddress: string;
}

/** A control plane that is ready. */
export interface RunState {
  /** The process id of the supervisor. */
  readonly pid: number;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly replicas: readonly Replica[];
  /** Empty for the embedded store. */
  readonly etcdServers: readonly string[];
  /** The folder of the logs; `''` when they are written to the terminal. */
  readonly logs: string;
}

/** What is known of a control plane from its data folder. */
export type RunningState =
  | { readonly kind: 'stopped' }
  /** The supervisor runs, and the control plane is not ready yet or is stopping. */
  | { readonly kind: 'starting'; readonly pid: number }
  | { readonly kind: 'ready'; readonly state: RunState };

/** A process of another machine or container holds the folder, such as `process 12 on HOST`. */
export interface ForeignRun {
  readonly kind: 'elsewhere';
  readonly holder: string;
}

/**
 * The state of a control plane that this process supervises.
 *
 * @param logs as in {@link RunState.logs}
 * @param now milliseconds since 1970
 */
export function describeRun(options: RunnerOptions, logs: string, now: number): RunState {
  return {
    pid: process.pid,
    startedAt: new Date(now).toISOString(),
    replicas: apiServerPlans(options).map(({ name, secureAddress, insecureAddress = '' }) => ({
      name,
      address: secureAddress,
      insecureAddress,
    })),
    etcdServers: options.etcdServers,
    logs,
  };
}

/** Writes the state file atomically, so that a reader sees the whole state or the previous one. */
export function writeRunState(dataDir: string, state: RunState): void {
  writeFileAtomically(layoutOf(dataDir).state, `${JSON.stringify(state, undefined, 2)}\n`, 0o600);
}

/** Removes the state file if there is one. */
export function removeRunState(dataDir: string): void {
  rmSync(layoutOf(dataDir).state, { force: true });
}

/**
 * Reads the state from the process file of the supervisor and the state file. `starting` while the supervisor lives, and
 * the state file is missing, unreadable or that of an earlier run; this is so too while the control plane stops. The
 * supervisor itself reads `stopped`, because its own process does not count.
 */
export function readRunState(layout: Pick<Layout, 'supervisor' | 'state'>): RunningState {
  const pid = livePid(layout.supervisor);
  if (pid === undefined) return { kind: 'stopped' };
  const state = parseRunState(readFileIfExists(layout.state)?.toString() ?? '');
  return state?.pid === pid ? { kind: 'ready', state } : { kind: 'starting', pid };
}

/**
 * Like {@link readRunState}, but also finds a control plane with processes that are not visible here. For that it may try
 * the lock of the folder. So it must not be called while this process waits for a control plane to start: that one could
 * not get the lock at this moment.
 */
export function findControlPlane(layout: Pick<Layout, 'run' | 'supervisor' | 'state'>): RunningState | ForeignRun {
  const holder = findForeignHolder(layout.run);
  return holder === undefined ? readRunState(layout) : { kind: 'elsewhere', holder };
}

/** `undefined` when the text is not that of {@link writeRunState}. */
function parseRunState(text: string): RunState | undefined {
  const value = tryParseObject(text);
  const pid = value === undefined ? undefined : ownMember(value, 'pid');
  if (value === undefined || typeof pid !== 'number') return undefined;
  return {
    pid,
    startedAt: stringAt(value, 'startedAt') ?? '',
    replicas: (arrayAt(value, 'replicas') ?? []).filter(isObject).map(parseReplica),
    etcdServers: stringsAt(value, 'etcdServers'),
    logs: stringAt(value, 'logs') ?? '',
  };
}

const parseReplica = (value: JsonObject): Replica => ({
  name: stringAt(value, 'name') ?? '',
  address: stringAt(value, 'address') ?? '',
  insecureAddress: stringAt(value, 'insecureAddress') ?? '',
});
