/**
 * Plays recorded scenarios to a server of ours with our controllers, as processes of their own, and compares after each step how the cluster comes to rest with
 * what the reference and its controllers made of it. Names are upstream's on both sides.
 */
import { CONVERTED, MEASURED, SCENARIOS } from '../replay/scenarios';
import { inTurn, type Observed, type Scenario } from '../replay/scenarios/scenario';
import { Stage } from '../replay/scenarios/stage';
import { ApiClient } from './api-client';
import type { ByHand } from './autoscalers-by-hand';
import { startControllers, startHastyControllers } from './control-plane';
import { serveMetrics } from './metrics-server';
import { freePort } from './ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ProgramProcess } from './programs';
import { played, recordedSteps, sendOver } from './replayed-scenario';
import { startScenarioWebhook, type ScenarioWebhook } from './scenario-webhook';

/** Of a log that are shown when a scenario ends otherwise. */
const LINES = 30;

export interface ReplayOptions {
  /** Of the API server and of the controllers, besides the usual ones. */
  readonly serverArgs?: readonly string[];
  readonly controllerArgs?: readonly string[];
  /** The controllers' waits pass faster than they say: see hasty-clock. */
  readonly isHasty?: boolean;
  /** Controllers in the test's own process, for one scenario in its namespace, which go on when they are told to. */
  readonly byHand?: (server: ApiServer, namespace: string) => Promise<ByHand>;
  /** Where we do better on purpose: the step (`scenario: title`), and what is to be there in the recorded state's place. */
  readonly deviations?: Readonly<Record<string, (recorded: Observed) => Observed>>;
}

/** Defines one test for each scenario of the recording `controllers/<name>`. */
export function replayControllers(name: string, options: ReplayOptions = {}): void {
  const { serverArgs = [], controllerArgs = [], isHasty = false, byHand, deviations = {} } = options;
  const scenarios = SCENARIOS.get(name) ?? [];
  const cases = recordedSteps(name);
  const folder = temporaryFolder(`controllers-${name}`);
  let server: ApiServer;
  let controllers: ProgramProcess;
  let api: ApiClient;
  let endMetrics: (() => Promise<void>) | undefined;
  let webhook: ScenarioWebhook | undefined;

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort(), args: ['--naming=kubernetes', ...serverArgs] });
    const args = ['--naming=kubernetes', ...controllerArgs];
    controllers = isHasty ? startHastyControllers(server, ...args) : startControllers(server, ...args);
    api = new ApiClient(server.address, server.certificates);
    if (CONVERTED.has(name)) webhook = await startScenarioWebhook(send);
    if (MEASURED.has(name)) endMetrics = await serveMetrics(send);
  }, 60_000);

  afterAll(async () => {
    await endMetrics?.();
    await webhook?.close();
    api.close();
    await controllers.stop();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  const send = sendOver(() => api);

  it('plays all scenarios that are recorded', () => {
    const played = scenarios.flatMap(({ name: scenario, steps }) => steps.map(({ title }) => `${scenario}: ${title}`));
    expect(played).toEqual(cases.map(({ scenario, title }) => `${scenario}: ${title}`));
  });

  const begin = inTurn((scenario) => play(new Stage(webhook?.send ?? send, `sc-${scenario.name}`), scenario));

  // Side by side: most of the time of each is spent waiting.
  it.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_name, scenario) => {
      await begin(scenario);
    },
    240_000,
  );

  async function play(stage: Stage, scenario: Scenario): Promise<void> {
    const hand = await byHand?.(server, stage.namespace);
    try {
      const steps = played(stage, scenario, { recorded: cases, deviations, goOn: hand?.goOn });
      for await (const { found, wanted } of steps) expect(found).toEqual(wanted);
    } catch (error) {
      if (error instanceof Error) error.message += `\n\nThe controllers said:\n${troublesIn(controllers.output)}`;
      throw error;
    } finally {
      await hand?.stop();
    }
  }
}

/** The last of what a program's log says that is not as usual. */
function troublesIn(output: string): string {
  const lines = output.split('\n').filter((line) => !line.includes('"level":"info"'));
  return lines.slice(-LINES).join('\n');
}
