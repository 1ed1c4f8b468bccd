/**
 * The configuration files of a process, with the files that they refer to. Each is loaded at the start of the process,
 * where an error aborts the start, and reloaded when it changes. After a failed reload the previous configuration stays
 * in use. The error is logged, counted and available as {@link LiveConfiguration.error}.
 */
import type { Clock } from '../runtime/clock';
import { fileEvents, type FileEvents } from '../runtime/files/file-events';
import { watchFiles } from '../runtime/files/file-watch';
import type { Logger } from '../runtime/logger';
import { errorMessage } from '../runtime/error-message';
import { readConfiguration, type ConfigurationFormat } from './read-configuration';

/** A configuration file and what is made of its content. */
export interface ConfigurationFile<T> {
  /** Identifies it in health checks, metrics and the log: `audit-policy`. */
  readonly name: string;
  readonly path: string;
  readonly formats: readonly ConfigurationFormat<T>[];
  /**
   * Puts a configuration that was read into use; called after each load. An error that it throws counts as an error of
   * the file. It may return the paths of files that the configuration refers to: when one of them changes, the
   * configuration is loaded again.
   */
  readonly apply: (configuration: T) => void | readonly string[];
}

/** A configuration with a loader of its own. */
export interface ConfigurationSource {
  /** As in {@link ConfigurationFile}. */
  readonly name: string;
  /** The file that is watched before the first load has returned the paths. */
  readonly path: string;
  /**
   * Loads and applies the configuration. Resolves with the paths of all files that were read. Called again when one of
   * them changes.
   */
  readonly load: () => Promise<readonly string[]>;
}

/**
 * The configuration is unusable now, but may become usable without a change of its files; for example, a service that it
 * names does not respond. A reload that throws it is retried every ten seconds.
 */
export class NotYetUsableError extends Error {
  override readonly name = 'NotYetUsable';
}

/** The state of a loaded configuration. */
export interface LiveConfiguration {
  readonly name: string;
  /** Why the current content of the file is not in use; `undefined` when it is in use. */
  readonly error: string | undefined;
  /** The numbers of reloads since the start of the process, by their outcome. */
  readonly reloads: { readonly success: number; readonly failure: number };
  /** When the last reload with each outcome was made, in milliseconds since 1970; absent when there was none. */
  readonly lastReload: { readonly success?: number; readonly failure?: number };
}

interface ReloadState extends LiveConfiguration {
  error: string | undefined;
  readonly reloads: { success: number; failure: number };
  readonly lastReload: { success?: number; failure?: number };
}

type Outcome = keyof LiveConfiguration['reloads'];

interface WatchDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: FileEvents;
}

/** An error that retries find again is logged once in this interval. */
const LOG_INTERVAL_MS = 60_000;

/** The configuration files of one process; see the head of this file. */
export class ConfigurationFiles {
  private readonly live: LiveConfiguration[] = [];
  private readonly watchedByName = new Map<string, WatchedConfiguration>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: FileEvents = fileEvents,
  ) {}

  /** Loads a configuration file and watches it. Rejects when the file is unusable. */
  loadConfiguration<T>({ name, path, formats, apply }: ConfigurationFile<T>): Promise<void> {
    const load = async (): Promise<readonly string[]> => [path, ...(apply(await readConfiguration(path, formats, this.clock)) ?? [])];
    return this.loadAndWatch({ name, path, load });
  }

  /**
   * Calls `load`, and calls it again whenever a file changes. Rejects with the error of the first call. Replaces the watch
   * of an earlier source of the same name.
   */
  async loadAndWatch(source: ConfigurationSource): Promise<void> {
    const { clock, logger, events } = this;
    this.watchedByName.get(source.name)?.endWatch();
    const watched = new WatchedConfiguration(source, { clock, logger, events });
    this.watchedByName.set(source.name, watched);
    await watched.start();
    this.live.push(watched.state);
  }

  /** The configurations that were loaded at least once, in the order of loading. */
  get configurations(): readonly LiveConfiguration[] {
    return this.live;
  }

  /** Ends all watches. */
  close(): void {
    for (const watched of this.watchedByName.values()) watched.endWatch();
  }
}

/** One configuration with the watch of the files that its last load has read. */
class WatchedConfiguration {
  readonly state: ReloadState;
  /** Ends the current watch; replaced when another one begins. */
  endWatch = (): void => undefined;
  private watchedPaths: readonly string[] = [];
  private isRetryDue = false;
  /** `Clock.monotonic` from which on the same error is logged again. */
  private logAgainAt = 0;

  constructor(
    private readonly source: ConfigurationSource,
    private readonly deps: WatchDependencies,
  ) {
    this.state = { name: source.name, error: undefined, reloads: { success: 0, failure: 0 }, lastReload: {} };
  }

  /** Rejects with the error of the first load. */
  async start(): Promise<void> {
    this.watch([this.source.path]);
    await this.load();
  }

  /**
   * Loads the configuration and watches the files that it has read. When these are not the watched ones, it loads the
   * configuration again after the start of the watch, so that no change in between is missed.
   */
  private async load(): Promise<void> {
    const paths = await this.source.load();
    if (paths.join() === this.watchedPaths.join()) return;
    this.watch(paths);
    await this.source.load();
  }

  private watch(paths: readonly string[]): void {
    const { clock, events } = this.deps;
    this.endWatch();
    this.watchedPaths = paths;
    this.endWatch = watchFiles({ paths, clock, events, onChange: () => this.reload(), isReloadDue: () => this.isRetryDue });
  }

  private async reload(): Promise<void> {
    const { name: configuration, path: file } = this.source;
    this.isRetryDue = false;
    try {
      await this.load();
      this.state.error = undefined;
      this.countReload('success');
      this.deps.logger.info('configuration reloaded', { configuration, file });
    } catch (error) {
      this.recordFailure(error);
    }
  }

  private recordFailure(error: unknown): void {
    const { clock, logger } = this.deps;
    const { name: configuration, path: file } = this.source;
    const isRepeated = this.state.error === errorMessage(error) && clock.monotonic() < this.logAgainAt;
    this.state.error = errorMessage(error);
    this.isRetryDue = error instanceof NotYetUsableError;
    this.countReload('failure');
    if (isRepeated) return;
    this.logAgainAt = clock.monotonic() + LOG_INTERVAL_MS;
    logger.error('the changed configuration cannot be used, the previous one stays in use', { configuration, file, error });
  }

  private countReload(outcome: Outcome): void {
    this.state.reloads[outcome] += 1;
    this.state.lastReload[outcome] = this.deps.clock.now();
  }
}
