/**
 * API server and controllers for the tests of a block, of which the controllers are killed (SIGKILL) at random times and
 * started again at once. A seed determines the times. Tests play recorded scenarios meanwhile.
 */
import { createSeededRandom } from '../../replay/seeded-random';
import type { Scenario } from '../../replay/scenarios/scenario';
import { ScenarioSession, type ScenarioSend } from '../../replay/scenarios/scenario-session';
import { startControllers } from '../../support/control-plane';
import { ApiClient } from '../../support/http/api-client';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import { RandomKiller, type LifetimeRange } from '../../support/random-killer';
import { playSteps, sendWith, type PlayOptions } from '../../support/scenarios/replayed-scenario';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

const STARTED_MESSAGE = 'controllers are running';

export interface KilledControllersOptions {
  readonly seed: number;
  /** Flags of the controllers. */
  readonly args: readonly string[];
  /** Lifetime of a controllers process from its start. */
  readonly lifetimes: LifetimeRange;
  /** Bounds the start of the controllers and every step of a scenario. */
  readonly stepTimeoutMs: number;
}

export interface KilledControllers {
  readonly server: () => ApiServer;
  readonly send: ScenarioSend;
  readonly killer: () => RandomKiller;
  /** Plays a scenario and compares the state after every step with the recorded one. */
  play(scenario: Scenario, options: Omit<PlayOptions, 'extraMs'>): Promise<void>;
}

/** `prepare` runs before the controllers start; what it returns is called after they have stopped. */
export function useKilledControllers(
  { seed, args, lifetimes, stepTimeoutMs }: KilledControllersOptions,
  prepare: (send: ScenarioSend) => Promise<() => Promise<void>> = () => Promise.resolve(() => Promise.resolve()),
): KilledControllers {
  const folder = useFolder(`killed-${seed}`);
  const server = useResource(
    async () => startApiServer({ folder, securePort: await freePort(), args: ['--naming=kubernetes'] }),
    (started) => started.process.stop(),
    60_000,
  );
  const api = useClosable(() => new ApiClient(server().address, server().certificates));
  const send = sendWith(api);
  useResource(
    () => prepare(send),
    (end) => end(),
    60_000,
  );
  const killer = useResource(
    () => {
      let controllers: ProgramProcess;
      const program = {
        start: async () => {
          controllers = startControllers(server(), '--naming=kubernetes', '--leader-elect=false', ...args);
          await waitUntil('the controllers to run', () => controllers.output.includes(STARTED_MESSAGE), stepTimeoutMs);
        },
        kill: () => controllers.kill(),
      };
      const running = new RandomKiller(program, createSeededRandom(seed), lifetimes);
      return { running, stopControllers: () => controllers.stop() };
    },
    async ({ running, stopControllers }) => {
      await running.stop();
      await stopControllers();
    },
    60_000,
  );
  return {
    server,
    send,
    killer: () => killer().running,
    async play(scenario, options) {
      const steps = playSteps(new ScenarioSession(send, `sc-${scenario.name}`), scenario, { ...options, extraMs: stepTimeoutMs });
      for await (const { actual, expected } of steps) expect(actual).toEqual(expected);
    },
  };
}
