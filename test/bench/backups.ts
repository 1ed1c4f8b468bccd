/**
 * Measures the effect of a backup on the server: memory, event loop delay, and the waits of another client, beside the
 * same without a backup.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { startMigrate } from '../support/migrate';
import type { ApiServer } from '../support/programs';
import { longestDelay } from './harness/loop-delay';
import { anonymousMegabytes } from '../support/process-usage';
import { Probe, type Waits } from './harness/probe';
import { pause } from './harness/timing';

export interface BackupCost {
  readonly seconds: number;
  readonly bytes: number;
  /** Peak memory of the backup program. */
  readonly ownMegabytes: number;
  readonly server: ServerState;
  /** For the same time without a backup. */
  readonly idle: ServerState;
}

export interface ServerState {
  /** Peak memory. */
  readonly megabytes: number;
  readonly longestDelayMs: number;
  readonly waits: Waits;
}

export interface BackupTarget {
  /** Started with loop-delay.ts. */
  readonly server: ApiServer;
  readonly port: number;
  readonly token: string;
  /** Path of an object that the other client reads. */
  readonly object: string;
  /** Flags of `platform backup` and `restore` that name the store. */
  readonly flags: readonly string[];
  readonly folder: string;
}

/** How often the memory of the server is read. */
const SAMPLE_MS = 20;
/** The probe reads for so long before the backup begins, so that the server has compiled what serves it. */
const WARM_MS = 2_000;

/**
 * Observes the server during a backup, and then for the same time without one, for the figures to compare with. Rejects
 * with the standard error of a backup that fails.
 */
export async function measureBackup({ server, port, token, object, flags, folder }: BackupTarget): Promise<BackupCost> {
  const probe = await Probe.start({ port, token, path: object });
  const { pid, child } = server.process;
  const observe = async (shouldContinue: () => boolean): Promise<ServerState> => {
    await probe.waits();
    await longestDelay(child);
    let megabytes = 0;
    while (shouldContinue()) {
      megabytes = Math.max(megabytes, anonymousMegabytes(pid));
      await pause(SAMPLE_MS);
    }
    return { megabytes, longestDelayMs: await longestDelay(child), waits: await probe.waits() };
  };
  const file = path.join(folder, 'bench.backup');
  try {
    await pause(WARM_MS);
    let ownMegabytes = 0;
    const started = performance.now();
    const run = startMigrate(['backup', `--file=${file}`, ...flags]);
    let elapsedMs: number | undefined;
    void run.ended.then(() => (elapsedMs = performance.now() - started));
    const loaded = await observe(() => {
      ownMegabytes = Math.max(ownMegabytes, ownMemory(run.child.pid ?? 0));
      return elapsedMs === undefined;
    });
    const { code, stderr } = await run.ended;
    if (code !== 0) throw new Error(stderr);
    const until = performance.now() + (elapsedMs ?? 0);
    const idle = await observe(() => performance.now() < until);
    return { seconds: (elapsedMs ?? 0) / 1000, bytes: statSync(file).size, ownMegabytes, server: loaded, idle };
  } finally {
    probe.stop();
  }
}

/** 0 when the process has exited. */
function ownMemory(pid: number): number {
  try {
    return anonymousMegabytes(pid) || 0;
  } catch {
    return 0;
  }
}
