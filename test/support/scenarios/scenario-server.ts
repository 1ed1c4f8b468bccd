/** Starts the server on which the scenarios of a recording depend besides the cluster. */
import type { Clock } from '../../../shared/runtime/clock';
import type { ScenariosHead } from '../../replay/scenarios/scenario';
import type { ScenarioSend } from '../../replay/scenarios/scenario-session';
import { serveMetrics } from '../servers/metrics-server';
import { startScenarioWebhook, type ScenarioWebhook } from './scenario-webhook';

/** `needs`: the server that the recording names; none when `undefined`. `send` of the result replaces the given one. */
export async function startScenarioServer(needs: ScenariosHead['needs'], send: ScenarioSend, clock: Clock): Promise<ScenarioWebhook> {
  switch (needs) {
    case 'conversion-webhook':
      return startScenarioWebhook(send);
    case 'metrics-server':
      return { send, close: await serveMetrics(send, clock) };
    case undefined:
      return { send, close: () => Promise.resolve() };
  }
}
