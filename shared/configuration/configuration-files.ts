/**
 * The configuration files of a process: each is read, with the files that it names, at the start, where a fault ends the start, and again when it changes, where a fault leaves the
 * old configuration in use and is told in the log, by {@link LiveConfiguration.fault} and by the counts.
 */
import type { Clock } from '../runtime/clock';
import { fileEvents, type FileEvents } from '../runtime/files/file-events';
import { watchFiles } from '../runtime/files/file-watch';
import type { Logger } from '../runtime/logger';
import { errorMessage } from '../runtime/error-message';
import { readConfiguration, type Format } from './read-configuration';

export interface ConfigurationFile<T> {
  /** What it configures, in health checks, metrics and the log: `audit-policy`. */
  readonly name: string;
  readonly path: string;
  readonly formats: readonly Format<T>[];
  /**
   * Puts it to use: at the start, and whenever it has changed. What it throws counts as a fault of the file. It may return the paths of files that
   * the configuration names: when one of them changes, all is read again.
   */
  readonly use: (configuration: T) => void | readonly string[];
}

/** A file of any format. */
export interface FollowedFile {
  readonly name: string;
  readonly path: string;
  /** Reads it and puts it to use; resolves with all files that were read. Called again when one of them changes. */
  readonly load: () => Promise<readonly string[]>;
}

/** What cannot be used now, and may be later without being changed: it is tried again. */
export class NotYetUsable extends Error {
  override readonly name = 'NotYetUsable';
}

/** How a file that is in use is doing. */
export interface LiveConfiguration {
  readonly name: string;
  /** Why the file as it stands is not in use; undefined = it is. */
  readonly fault: string | undefined;
  /** Reloads since the start. */
  readonly reloads: { readonly success: number; readonly failure: number };
  /** Clock.now of the last reload, by its outcome. */
  readonly lastReload: { readonly success?: number; readonly failure?: number };
}

interface ReloadState extends LiveConfiguration {
  fault: string | undefined;
  readonly reloads: { success: number; failure: number };
  readonly lastReload: { success?: number; failure?: number };
}

type Outcome = keyof LiveConfiguration['reloads'];

export class ConfigurationFiles {
  private readonly live: LiveConfiguration[] = [];
  /** By the name of what is watched. */
  private readonly ends = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: FileEvents = fileEvents,
  ) {}

  /** Rejects where the file cannot be used. */
  open<T>({ name, path, formats, use }: ConfigurationFile<T>): Promise<void> {
    const load = async (): Promise<readonly string[]> => [path, ...(use(await readConfiguration(path, formats, this.clock)) ?? [])];
    return this.follow({ name, path, load });
  }

  /** The same. */
  async follow({ name, path, load }: FollowedFile): Promise<void> {
    const { clock, logger, events } = this;
    const state: ReloadState = { name, fault: undefined, reloads: { success: 0, failure: 0 }, lastReload: {} };
    const count = (outcome: Outcome): void => {
      state.reloads[outcome] += 1;
      state.lastReload[outcome] = clock.now();
    };
    let isToBeTriedAgain = false;
    const reload = async (): Promise<void> => {
      isToBeTriedAgain = false;
      try {
        await read();
        state.fault = undefined;
        count('success');
        logger.info('configuration reloaded', { configuration: name, file: path });
      } catch (error) {
        state.fault = errorMessage(error);
        isToBeTriedAgain = error instanceof NotYetUsable;
        count('failure');
        logger.error('the changed configuration cannot be used, the old one stays', { configuration: name, file: path, error });
      }
    };
    let watched: readonly string[] = [];
    const watch = (paths: readonly string[]): void => {
      this.ends.get(name)?.();
      watched = paths;
      this.ends.set(name, watchFiles({ paths, clock, events, changed: reload, due: () => isToBeTriedAgain }));
    };
    // A file is watched before it is read, so that no change is missed.
    const read = async (): Promise<void> => {
      const paths = await load();
      if (paths.join() === watched.join()) return;
      watch(paths);
      await load();
    };
    watch([path]);
    await read();
    this.live.push(state);
  }

  get all(): readonly LiveConfiguration[] {
    return this.live;
  }

  /** Ends the watching. */
  close(): void {
    for (const end of this.ends.values()) end();
  }
}
