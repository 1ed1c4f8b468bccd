/**
 * Lists of custom objects in a version that a webhook converts: the time of the whole list without cached
 * conversions, beside the time of the same calls sent to the webhook directly; and the waits of another client
 * meanwhile.
 */
import { withConcurrencyLimit } from '../../../shared/scheduling/concurrency-limit';
import { arrayAt, isObject, objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { GROUP, isConversionCase, isConversionHead, NAMESPACE } from '../../replay/conversions/conversion-case';
import { readRecording } from '../../replay/recording';
import { BenchClient } from '../harness/client';
import { ConversionProcess } from './conversion-webhook';
import { cpuSeconds } from '../../support/process-usage';
import { withServer } from '../harness/bench-server';
import { Probe } from '../harness/probe';
import { numberOption, TOKEN } from '../harness/settings';
import { forEachNumber, measureMs } from '../harness/timing';

const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
/** Repetitions of all measurements: the load of a machine varies. */
const ROUNDS = 5;
/** The server converts as many objects of a list in one call. */
const OBJECTS_PER_REVIEW = 500;
/** The server has as many calls for one list in flight. */
const CONCURRENT_REVIEWS = 4;
/** Requests in flight while objects are created. */
const WRITERS = 16;

interface ConversionTarget {
  readonly client: BenchClient;
  readonly probe: Probe;
  /** Process id of the server. */
  readonly pid: number;
  readonly webhook: ConversionProcess;
}

/** Prints a row for each round. `--converted`: the number of objects. */
export async function conversions(): Promise<void> {
  const count = numberOption('converted', 10_000);
  console.log(`\na list of ${count} custom objects, converted by a webhook`);
  await withServer(async ({ client, pid }) => {
    const probe = await Probe.start({ port: client.port, token: TOKEN, path: '/api/v1/namespaces/default' });
    const webhook = await ConversionProcess.start();
    try {
      await prepareConversions(client, webhook, count);
      const reviews = reviewsOf(await client.text('GET', widgetsPath('v1')));
      for (let round = 0; round < ROUNDS; round += 1) await printRound({ client, probe, pid, webhook }, reviews, round);
    } finally {
      webhook.stop();
      probe.stop();
    }
  });
}

/** Creates the recorded definition with this webhook, and `count` objects of it in the stored version. */
async function prepareConversions(client: BenchClient, { address: { port, caBundle } }: ConversionProcess, count: number): Promise<void> {
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  const names = { plural: 'widgets', kind: 'Widget' };
  const { head } = readRecording('custom/conversions', isConversionHead, isConversionCase);
  const versions = arrayAt(objectAt(head.definition, 'spec'), 'versions');
  const spec = { group: GROUP, scope: 'Namespaced', names, versions, conversion };
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await client.send('POST', DEFINITIONS, { metadata: { name: `widgets.${GROUP}` }, spec });
  while ((await client.status('GET', widgetsPath('v2'))) !== 200);
  const text = 'x'.repeat(800);
  await forEachNumber({ to: count, workers: WRITERS }, (index) => client.send('POST', widgetsPath('v1'), widget(index, text)));
}

const widgetsPath = (version: string): string => `/apis/${GROUP}/${version}/namespaces/${NAMESPACE}/widgets`;

const widget = (index: number, text: string): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata: { name: `w-${index}`, annotations: { text } },
  spec: { address: `host-${index}:${index + 1}` },
});

/** The reviews that the server sends too. */
function reviewsOf(list: string): readonly string[] {
  const value: JsonValue = JSON.parse(list);
  const items = (isObject(value) ? (arrayAt(value, 'items') ?? []) : []).filter(isObject);
  const reviews: string[] = [];
  for (let from = 0; from < items.length; from += OBJECTS_PER_REVIEW)
    reviews.push(JSON.stringify(reviewOf(items.slice(from, from + OBJECTS_PER_REVIEW))));
  return reviews;
}

const reviewOf = (objects: readonly JsonObject[]): JsonObject => ({
  kind: 'ConversionReview',
  apiVersion: 'apiextensions.platform.io/v1',
  request: { uid: 'bench', desiredAPIVersion: `${GROUP}/v2`, objects: [...objects] },
});

async function printRound({ client, probe, pid, webhook }: ConversionTarget, reviews: readonly string[], round: number): Promise<void> {
  await invalidateConversions(client, round);
  const plainMs = await measureMs(() => client.send('GET', widgetsPath('v1')));
  const alone = await measureWebhookAlone(webhook, reviews);
  const callsBefore = await webhook.countCalls();
  await probe.waits();
  const cpuBefore = cpuSeconds(pid);
  const listMs = await measureMs(() => client.send('GET', widgetsPath('v2')));
  const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1_000;
  const { longestMs } = await probe.waits();
  const calls = (await webhook.countCalls()) - callsBefore;
  // The second list uses cached conversions.
  const againMs = await measureMs(() => client.send('GET', widgetsPath('v2')));
  const ratio = `${(listMs / alone.ms).toFixed(2)} × the webhook alone (${formatMs(alone.ms)}), ${calls} calls`;
  const work = `${formatMs(cpuMs)} of a processor, the webhook ${formatMs(alone.cpuMs)}`;
  const others = `again ${formatMs(againMs)}, stored version ${formatMs(plainMs)}, another client ${formatMs(longestMs)}`;
  console.log(`${formatMs(listMs).padStart(9)}  ${ratio}; ${work}; ${others}`);
}

const formatMs = (ms: number): string => `${ms.toFixed(0)} ms`;

/** Sends the server's calls to the webhook directly, without other load. */
async function measureWebhookAlone(
  webhook: ConversionProcess,
  reviews: readonly string[],
): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const direct = new BenchClient(webhook.address.port, '');
  const cpuBefore = cpuSeconds(webhook.pid);
  const ms = await measureMs(() =>
    withConcurrencyLimit(CONCURRENT_REVIEWS, reviews, async (review) => void (await direct.send('POST', '/convert', review))),
  );
  const cpuMs = (cpuSeconds(webhook.pid) - cpuBefore) * 1_000;
  direct.close();
  return { ms, cpuMs };
}

/** Changes the definition, which invalidates cached conversions. Resolves when the server publishes the change. */
async function invalidateConversions(client: BenchClient, round: number): Promise<void> {
  const description = `round ${round}`;
  const body = JSON.stringify([{ op: 'add', path: '/spec/versions/1/schema/openAPIV3Schema/description', value: description }]);
  await client.send('PATCH', `${DEFINITIONS}/widgets.${GROUP}`, body, { 'content-type': 'application/json-patch+json' });
  const published = `"description":"${description}"`;
  while (!(await client.text('GET', `/openapi/v3/apis/${GROUP}/v2`)).includes(published));
}
