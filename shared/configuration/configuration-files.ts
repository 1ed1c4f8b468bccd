/**
 * The configuration files of a process: each is read at the start, where a fault ends the start, and again when it changes, where a fault leaves the
 * old configuration in use and is told in the log, by {@link LiveConfiguration.fault} and by the counts.
 */
import type { Clock } from '../runtime/clock';
import { watchFiles } from '../runtime/file-watch';
import type { Logger } from '../runtime/logger';
import { readConfiguration, type Format } from './read';

export interface ConfigurationFile<T> {
  /** What it configures, in health checks, metrics and the log: `audit-policy`. */
  readonly name: string;
  readonly path: string;
  readonly formats: readonly Format<T>[];
  /** Puts it to use: at the start, and whenever it has changed. What it throws counts as a fault of the file. */
  readonly use: (configuration: T) => void | Promise<void>;
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
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Rejects where the file cannot be used. */
  async open<T>({ name, path, formats, use }: ConfigurationFile<T>): Promise<void> {
    const { clock, logger } = this;
    const load = async (): Promise<void> => use(await readConfiguration(path, formats, clock));
    const state: ReloadState = { name, fault: undefined, reloads: { success: 0, failure: 0 }, lastReload: {} };
    const count = (outcome: Outcome): void => {
      state.reloads[outcome] += 1;
      state.lastReload[outcome] = clock.now();
    };
    const reload = async (): Promise<void> => {
      try {
        await load();
        state.fault = undefined;
        count('success');
        logger.info('configuration reloaded', { configuration: name, file: path });
      } catch (error) {
        state.fault = error instanceof Error ? error.message : String(error);
        count('failure');
        logger.error('the changed configuration cannot be used, the old one stays', { configuration: name, file: path, error });
      }
    };
    // The watch begins before the file is read, so that no change is missed.
    const end = watchFiles({ paths: [path], clock, changed: reload });
    this.ends.push(end);
    await load();
    this.live.push(state);
  }

  get all(): readonly LiveConfiguration[] {
    return this.live;
  }

  /** Ends the watching. */
  close(): void {
    for (const end of this.ends) end();
  }
}
