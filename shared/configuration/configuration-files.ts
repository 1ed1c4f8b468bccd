/**
 * The configuration files of a process, with the files that they refer to. Each is loaded at the start, where an error
 * aborts the start, and reloaded when it changes. After a failed reload the previous configuration stays in use; the
 * error is logged, counted and available as {@link LiveConfiguration.error}.
 */
import type { Clock } from '../runtime/clock';
import { fileEvents, type FileEvents } from '../runtime/files/file-events';
import { watchFiles } from '../runtime/files/file-watch';
import type { Logger } from '../runtime/logger';
import { errorMessage } from '../runtime/error-message';
import { readConfiguration, type ConfigurationFormat } from './read-configuration';

export interface ConfigurationFile<T> {
  /** Identifies it in health checks, metrics and the log: `audit-policy`. */
  readonly name: string;
  readonly path: string;
  readonly formats: readonly ConfigurationFormat<T>[];
  /**
   * Called after each load. An error that it throws is an error of the file. It may return the paths of files that the
   * configuration refers to: when one of them changes, the configuration is reloaded.
   */
  readonly apply: (configuration: T) => void | readonly string[];
}

/** A configuration with its own loader. */
export interface ConfigurationSource {
  readonly name: string;
  readonly path: string;
  /**
   * Loads and applies the configuration. Resolves with the paths of all files that were read. Called again when one of
   * them changes.
   */
  readonly load: () => Promise<readonly string[]>;
}

/** The configuration is unusable now, but may become usable without a change of its files: loading is retried. */
export class NotYetUsableError extends Error {
  override readonly name = 'NotYetUsable';
}

/** The state of a loaded configuration. */
export interface LiveConfiguration {
  readonly name: string;
  /** Why the current content of the file is not in use; `undefined` when it is in use. */
  readonly error: string | undefined;
  /** Reloads since the start. */
  readonly reloads: { readonly success: number; readonly failure: number };
  /** Clock.now of the last reload, by its outcome. */
  readonly lastReload: { readonly success?: number; readonly failure?: number };
}

interface ReloadState extends LiveConfiguration {
  error: string | undefined;
  readonly reloads: { success: number; failure: number };
  readonly lastReload: { success?: number; failure?: number };
}

type Outcome = keyof LiveConfiguration['reloads'];

/** A error that retries find again is logged at this rate. */
const LOG_INTERVAL_MS = 60_000;

export class ConfigurationFiles {
  private readonly live: LiveConfiguration[] = [];
  private readonly endWatchByName = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: FileEvents = fileEvents,
  ) {}

  /** Rejects when the file is unusable. */
  loadConfiguration<T>({ name, path, formats, apply }: ConfigurationFile<T>): Promise<void> {
    const load = async (): Promise<readonly string[]> => [path, ...(apply(await readConfiguration(path, formats, this.clock)) ?? [])];
    return this.loadAndWatch({ name, path, load });
  }

  /** Rejects with the error of `load`. */
  async loadAndWatch({ name, path, load }: ConfigurationSource): Promise<void> {
    const { clock, logger, events } = this;
    const state: ReloadState = { name, error: undefined, reloads: { success: 0, failure: 0 }, lastReload: {} };
    const count = (outcome: Outcome): void => {
      state.reloads[outcome] += 1;
      state.lastReload[outcome] = clock.now();
    };
    let isRetryDue = false;
    let logAgainAt = 0;
    const reload = async (): Promise<void> => {
      isRetryDue = false;
      try {
        await read();
        state.error = undefined;
        count('success');
        logger.info('configuration reloaded', { configuration: name, file: path });
      } catch (error) {
        const isRepeated = state.error === errorMessage(error) && clock.monotonic() < logAgainAt;
        state.error = errorMessage(error);
        isRetryDue = error instanceof NotYetUsableError;
        count('failure');
        if (isRepeated) return;
        logAgainAt = clock.monotonic() + LOG_INTERVAL_MS;
        logger.error('the changed configuration cannot be used, the previous one stays in use', { configuration: name, file: path, error });
      }
    };
    let watched: readonly string[] = [];
    const watch = (paths: readonly string[]): void => {
      this.endWatchByName.get(name)?.();
      watched = paths;
      this.endWatchByName.set(name, watchFiles({ paths, clock, events, onChange: reload, isReloadDue: () => isRetryDue }));
    };
    // A file that was read before it was watched is read again, so that no change is missed.
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

  get configurations(): readonly LiveConfiguration[] {
    return this.live;
  }

  /** Ends all watches. */
  close(): void {
    for (const end of this.endWatchByName.values()) end();
  }
}
