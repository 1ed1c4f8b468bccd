/** The conversion webhook of scenarios: each asks it at a path of its own, and tells it there what to do. It is put between a scenario and the server that is played to. */
import { CONVERSIONS } from '../recordings/conversions/behaviours';
import { isBody, type Json } from '../recordings/reference';
import { AUTHORITY, PORT, WEBHOOK } from '../recordings/scenarios/converted-garbage';
import type { Send, StageAnswer } from '../recordings/scenarios/stage';
import { startWebhookServer } from './webhook-server';

export interface ScenarioWebhook {
  /** As it was, and to the webhook; its place is filled in and masked. */
  readonly send: Send;
  close(): Promise<void>;
}

export async function startScenarioWebhook(send: Send): Promise<ScenarioWebhook> {
  /** By scenario. */
  const behaviours = new Map<string, string>();
  const { port, caBundle, close } = await startWebhookServer({
    names: ['127.0.0.1'],
    host: '127.0.0.1',
    reply({ url, text }) {
      const review: Json = JSON.parse(text);
      const { request = {}, apiVersion } = isBody(review) ? review : {};
      const conversion = CONVERSIONS[behaviours.get(url.slice(1).replace(/\?.*/, '')) ?? ''];
      if (conversion === undefined) return { status: 404, body: 'nobody has said what to do' };
      return conversion(isBody(request) ? request : {}, typeof apiVersion === 'string' ? apiVersion : '');
    },
  });
  const filled = (body: Json): Json => JSON.parse(JSON.stringify(body).replaceAll(PORT, String(port)).replaceAll(AUTHORITY, caBundle));
  const masked = ({ code, body }: StageAnswer): StageAnswer => ({
    code,
    body: JSON.parse(JSON.stringify(body).replaceAll(`:${port}/`, ':<port>/')),
  });
  return {
    close,
    async send(method, path, headers, body) {
      if (!path.startsWith(WEBHOOK)) return masked(await send(method, path, headers, body === undefined ? body : filled(body)));
      const does = isBody(body) ? body['does'] : undefined;
      if (typeof does !== 'string') throw new Error('nothing that it could do');
      behaviours.set(path.slice(WEBHOOK.length), does);
      return { code: 200, body: {} };
    },
  };
}
