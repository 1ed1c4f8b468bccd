/** How the controllers of a process are, as checks of its health. */
import type { Clock } from '../../shared/runtime/clock';
import { HealthChecks } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import type { Controller } from './controller';

export class ControllerHealth {
  /** What keeps a controller from working, by its name. */
  private readonly problems = new Map<string, string>();

  constructor(
    private readonly controllers: readonly Pick<Controller, 'name'>[],
    private readonly stopping: AbortSignal,
  ) {}

  set({ name }: Pick<Controller, 'name'>, problem: string | undefined): void {
    if (problem === undefined) this.problems.delete(name);
    else this.problems.set(name, problem);
  }

  /** A check for each controller, and one that fails as soon as the process is told to stop. */
  health(clock: Clock, logger: Logger): HealthChecks {
    const checks = this.controllers.map(({ name }) => ({ name, check: () => this.problems.get(name) }));
    const shutdown = { name: 'shutdown', check: () => (this.stopping.aborted ? 'the process is stopping' : undefined) };
    return new HealthChecks([...checks, shutdown], clock, 0, (endpoint, check, reason) =>
      logger.info('a health check failed', { endpoint, check, reason }),
    );
  }
}
