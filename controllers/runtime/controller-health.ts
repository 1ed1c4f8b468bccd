/** Health checks of a process: one for each controller, and one for the shutdown. */
import type { Clock } from '../../shared/runtime/clock';
import { HealthChecks } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import type { Controller } from './controller';

/** Collects the problems of the given controllers. `stopping`: aborted when the process begins to stop. */
export class ControllerHealth {
  /** Error messages of failed controllers, by the controllers' names. */
  private readonly problems = new Map<string, string>();

  constructor(
    private readonly controllers: readonly Pick<Controller, 'name'>[],
    private readonly stopping: AbortSignal,
  ) {}

  /** `problem`: the error message of a failed controller; `undefined` when the controller has been started again. */
  setProblem({ name }: Pick<Controller, 'name'>, problem: string | undefined): void {
    if (problem === undefined) this.problems.delete(name);
    else this.problems.set(name, problem);
  }

  /**
   * The checks for the endpoints of the process. The check `shutdown` fails from the moment at which it begins to stop.
   */
  health(clock: Clock, logger: Logger): HealthChecks {
    const checks = this.controllers.map(({ name }) => ({ name, check: () => this.problems.get(name) }));
    const shutdown = { name: 'shutdown', check: () => (this.stopping.aborted ? 'the process is stopping' : undefined) };
    return new HealthChecks([...checks, shutdown], {
      clock,
      livezGraceMs: 0,
      onResult: ({ endpoint, check, reason }) => {
        if (reason !== undefined) logger.info('a health check failed', { endpoint, check, reason });
      },
    });
  }
}
