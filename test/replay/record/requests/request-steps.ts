/**
 * Records audit events (format `audit-requests`) and growing metrics (`metric-requests`) of requests. The requests stay
 * as they are; the outcomes are recordings beside them. The server is a new one.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../../shared/runtime/clock';
import { seriesGrowth, readExposition, type Exposition } from '../../../support/exposition';
import { withoutLatency } from '../../normalize/mask-volatile-values';
import { growthByRequest } from '../../requests/metric-growth';
import { writeRecording } from '../../recording';
import { isBody, type Body, type Headers, type Json } from '../../json-response';
import { requestSteps, type RequestStep } from '../../requests/request-step';
import { waitForServer, writeRecordFiles } from '../environment';
import type { ReferenceServer } from '../reference-server';

/** A signed token. */
const TOKEN = /\bey[\w-]+\.[\w-]+\.[\w-]+/g;
/** How long the server needs to write its audit log, and to count a request. */
const LOG_DELAY_MS = 1_000;
const METRICS_DELAY_MS = 400;
/** Scrapes between which no request is sent: series that grow meanwhile are left out of the recording. */
const IDLE_SCRAPES = 30;

/** The headers of each user; the administrator's credentials are those of the kubeconfig. */
const AUTHORIZATION: Readonly<Record<RequestStep['as'], { readonly authorization?: string }>> = {
  admin: {},
  alice: { authorization: 'Bearer plaintoken' },
  bad: { authorization: 'Bearer unknown' },
  nobody: { authorization: '' },
};

/** Sends the request of a step and returns the status of the response. The headers of the step override `headers`. */
export async function sendStep(server: ReferenceServer, step: RequestStep, headers: Headers): Promise<number> {
  const { as, method, path, body = '', type = 'application/json' } = step;
  const contentType = body === '' ? {} : { 'content-type': type };
  const { code } = await server.send({
    method,
    path,
    headers: { ...contentType, ...AUTHORIZATION[as], ...headers, ...step.headers },
    body: Buffer.from(body),
  });
  return code;
}

/** The server runs with the policy that this function writes, and logs to the file `AUDIT_LOG`. */
export async function recordAuditEvents(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, steps, lines } = requestSteps(recording);
  await waitForServer(server, writeRecordFiles({ 'audit-policy.json': head.policy ?? {} }));
  for (const [index, step] of steps.entries()) await sendStep(server, step, { 'audit-id': `step-${index}`, 'user-agent': 'recorder' });
  await systemClock.sleep(LOG_DELAY_MS);
  const log = readFileSync(process.env['AUDIT_LOG'] ?? 'audit.log', 'utf8').replace(TOKEN, '<token>');
  const logged = log.split('\n').filter((line) => line !== '');
  const events = logged.map((line): Json => JSON.parse(line)).filter(isBody);
  const eventsOf = (id: string): readonly Body[] => events.filter(({ auditID }) => auditID === id).map(withoutLatency);
  writeRecording(
    'audit/events',
    steps.map(({ name }, index) => ({ step: name, events: eventsOf(`step-${index}`) })),
  );
  return lines;
}

/** The server has an issuer of service account tokens and the service range 10.96.0.0/16. */
export async function recordMetrics(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { steps, lines } = requestSteps(recording);
  const scrape = async (path = '/metrics'): Promise<Exposition> =>
    readExposition((await server.send({ method: 'GET', path })).bytes.toString());
  /** Series that grow without a request. */
  const idleSeries = new Set<string>();
  let before = await scrape();
  for (let round = 0; round < IDLE_SCRAPES; round += 1) {
    await systemClock.sleep(METRICS_DELAY_MS);
    const after = await scrape();
    for (const name of seriesGrowth(before, after).keys()) idleSeries.add(name);
    before = after;
  }
  const outcomes: unknown[] = [];
  for (const step of steps) {
    const code = await sendStep(server, step, { 'user-agent': 'recorder' });
    await systemClock.sleep(METRICS_DELAY_MS);
    const after = await scrape();
    outcomes.push({ step: step.name, code, grown: growthByRequest(before, after, idleSeries) });
    before = after;
  }
  const families = [...before.families.values()].filter(({ name }) => !name.startsWith('go_'));
  writeRecording('metrics/steps', outcomes);
  writeRecording('metrics/families', families);
  writeRecording('metrics/slis', (await scrape('/metrics/slis')).families.values());
  return lines;
}
