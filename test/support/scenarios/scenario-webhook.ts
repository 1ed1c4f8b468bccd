/**
 * The conversion webhook of scenarios. Each scenario has its own port and path, and sets the behaviour by a PUT to that
 * path. `startScenarioWebhook` wraps the function that sends the scenario's requests to the server: the PUTs end here,
 * and all other requests continue to the server.
 */
import { isBody, type Json } from '../../replay/json-response';
import type { ScenarioSend, ScenarioResponse } from '../../replay/scenarios/scenario-session';
import { respondToConversion } from '../servers/conversion-server';
import { freePort } from '../ports';
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy';
import { startWebhookServer } from '../servers/webhook-server';

export interface ScenarioWebhook {
  /** Sends to the server or to the webhook. The webhook's URL is filled into requests and masked in responses. */
  readonly send: ScenarioSend;
  close(): Promise<void>;
}

/** A PUT below this path sets what the webhook does for the scenario that the rest of the path names. */
const BEHAVIOUR_PATH = '/conversion-webhook/';
/** Placeholders in recorded bodies: the port of the webhook and the certificate of its authority. */
const PORT = '<webhook port>';
const AUTHORITY = '<webhook authority>';
/** The port and the path of a webhook in a body; the path is the name of the scenario. */
const WEBHOOK_URL = new RegExp(`${PORT}/([^"]+)`);
/** The behaviour of a webhook that accepts no connection. */
const REFUSED = 'refused';

/** Ports that lead to the webhook, by scenario. Connections are refused by closing the listener of a port. */
class ScenarioPorts {
  private readonly ports = new Map<string, Promise<number>>();
  private readonly proxies = new Map<string, TcpProxy>();

  constructor(private readonly target: number) {}

  /** The port of a scenario, which stays the same; it is listened on only after {@link listen}. */
  portOf(scenario: string): Promise<number> {
    const port = this.ports.get(scenario) ?? freePort();
    this.ports.set(scenario, port);
    return port;
  }

  async listen(scenario: string): Promise<void> {
    if (this.proxies.has(scenario)) return;
    this.proxies.set(scenario, await startTcpProxy(this.target, { host: '127.0.0.1', port: await this.portOf(scenario) }));
  }

  async refuse(scenario: string): Promise<void> {
    await this.proxies.get(scenario)?.close();
    this.proxies.delete(scenario);
  }

  /** Replaces the ports of all scenarios in URLs. */
  async maskPorts(text: string): Promise<string> {
    let masked = text;
    for (const port of await Promise.all(this.ports.values())) masked = masked.replaceAll(new RegExp(`:${port}(?=[:/])`, 'g'), ':<port>');
    return masked;
  }

  async close(): Promise<void> {
    for (const proxy of this.proxies.values()) await proxy.close();
  }
}

/** Resolves when the webhook listens. The caller closes it after the last scenario. */
export async function startScenarioWebhook(send: ScenarioSend): Promise<ScenarioWebhook> {
  /** The names of behaviours, by scenario. */
  const behaviours = new Map<string, string>();
  const { port, caBundle, close } = await startWebhookServer({
    reply({ url, text }) {
      const review: Json = JSON.parse(text);
      const scenario = url.slice(1).replace(/\?.*/, '');
      return respondToConversion(behaviours.get(scenario) ?? '', isBody(review) ? review : {});
    },
  });
  const ports = new ScenarioPorts(port);
  const fillIn = async (body: Json): Promise<Json> => {
    const text = JSON.stringify(body).replaceAll(AUTHORITY, caBundle);
    const [, scenario] = WEBHOOK_URL.exec(text) ?? [];
    return JSON.parse(scenario === undefined ? text : text.replaceAll(PORT, String(await ports.portOf(scenario))));
  };
  const maskResponse = async ({ code, body }: ScenarioResponse): Promise<ScenarioResponse> => ({
    code,
    body: JSON.parse(await ports.maskPorts(JSON.stringify(body))),
  });
  return {
    async close() {
      await ports.close();
      await close();
    },
    async send(method, path, headers, body) {
      if (!path.startsWith(BEHAVIOUR_PATH))
        return maskResponse(await send(method, path, headers, body === undefined ? body : await fillIn(body)));
      const behaviour = isBody(body) ? body['does'] : undefined;
      if (typeof behaviour !== 'string') throw new Error('the body names no behaviour of the webhook (`does`)');
      const scenario = path.slice(BEHAVIOUR_PATH.length);
      behaviours.set(scenario, behaviour);
      await (behaviour === REFUSED ? ports.refuse(scenario) : ports.listen(scenario));
      return { code: 200, body: {} };
    },
  };
}
