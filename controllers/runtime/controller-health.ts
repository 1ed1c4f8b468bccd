/** Health checks of a process: one for each controller, and one for the shutdown. */
import type { Clock } from '../../shared/runtime/clock';
import { HealthChecks } from '../../shared/runtime/health';
import type { Logger } from '../../shared/runtime/logger';
import type { Controller } from './controller';

export class ControllerHealth {
  /** Error messages of failed controllers, by the controllers' names. */
  private readonly problems = new Map<string, string>();

  constructor(
    private readonly controllers: readonly Pick<Controller, 'name'>[],
    private readonly stopping: AbortSignal,
  ) {}

  /** `undefined`: the controller has been started and its check passes again. */
  setProblem({ name }: Pick<Controller, 'name'>, problem: string | undefined): void {
    if (problem === undefined) this.problems.delete(name);
    else this.problems.set(name, problem);
  }

  /** The check `shutdown` fails from the moment at which the process begins to stop. */
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
