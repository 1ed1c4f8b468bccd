/**
 * Conversion of custom resources by a fake webhook: how objects are distributed over calls, cached results, and failures.
 * The webhook adds the member `seen` to the spec of each object.
 */
import { StatusError } from '../../shared/api/errors/status';
import { systemRandom } from '../../shared/runtime/random';
import { convertedRows, storedWidget, InProcessConversionWebhook } from '../../test/support/objects/converted-kind';
import { ManualClock } from '../../test/support/clock/manual-clock';
import type { Entry } from '../cache/cache';
import type { ConversionContext } from '../registry/conversions';
import { parseEntry } from '../registry/object/stored-object';
import { WebhookConverter, type ConversionCall } from './converter';

/** The rows of the stored version v1 and of the version v2, to which the tests convert. */
const [V1, V2] = convertedRows();
/** A request with a deadline far away. */
const CONTEXT: ConversionContext = { deadline: 1_000_000 };

/** A converter with its webhook, the calls that it has reported, and the messages of the failures. */
function createFixture() {
  const clock = new ManualClock();
  const client = new InProcessConversionWebhook();
  const calls: ConversionCall[] = [];
  const failures: string[] = [];
  const converter = new WebhookConverter({
    client,
    dialect: 'kubernetes',
    clock,
    random: systemRandom,
    onCall: (call) => calls.push(call),
    onFailure: (error) => failures.push(error.message),
  });
  return { clock, client, converter, calls, failures };
}

/** Entries `w0`, `w1` and so on, stored as v1 at the revisions 1, 2 and so on. */
const widgets = (count: number, spec = {}): readonly Entry[] =>
  Array.from({ length: count }, (_, index) => storedWidget(V1, `w${index}`, index + 1, spec));
/** One such entry. */
const widget = (): Entry => storedWidget(V1, 'w0', 1);
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Whether the webhook has converted the object. */
const isConverted = (bytes: Buffer): boolean => bytes.toString().includes('"seen":true');

describe('conversion of a list', () => {
  it('sends 500 objects per call, at most four calls at a time, and keeps the order', async () => {
    const { client, converter } = createFixture();
    client.isHolding = true;
    const entries = widgets(2_600);
    const work = converter.convertEntries(V2, entries, CONTEXT);
    for (let round = 0; round < 50; round += 1) {
      await nextTurn();
      client.releasePending();
    }
    const converted = await work;
    expect(client.calls.map(({ names }) => names.length)).toEqual([500, 500, 500, 500, 500, 100]);
    expect(client.maxPending).toBe(4);
    const identitiesOf = (list: readonly Entry[]) => list.map(({ key, revision }) => ({ key, revision }));
    expect(identitiesOf(converted)).toEqual(identitiesOf(entries));
    expect(converted.every(({ bytes }) => isConverted(bytes))).toBe(true);
  });

  it('sends at most 1 MiB per call, and a larger object in its own call', async () => {
    const { client, converter } = createFixture();
    const entries = [...widgets(10, { text: 'x'.repeat(300_000) }), storedWidget(V1, 'big', 99, { text: 'x'.repeat(2_000_000) })];
    await converter.convertEntries(V2, entries, CONTEXT);
    expect(client.calls.map(({ names }) => names.length)).toEqual([3, 3, 3, 1, 1]);
    // A response may have 4 MiB, and more if its request has more than a fourth of that.
    for (const { options, bytes } of client.calls) expect(options.maxBytes).toBe(Math.max(4 * 1024 * 1024, bytes * 4));
    const [firstCall] = client.calls;
    expect(firstCall?.options).toMatchObject({ timeoutMs: 30_000, query: '?timeout=30s' });
  });

  it('does not send objects that are stored in the requested version', async () => {
    const { client, converter } = createFixture();
    const storedAsV2 = storedWidget(convertedRows('', 'v2')[1], 'new', 7);
    const [first] = await converter.convertEntries(V2, [storedAsV2, widget()], CONTEXT);
    expect(client.calls.map(({ names }) => names)).toEqual([['w0']]);
    expect(first).toBe(storedAsV2);
  });

  it('returns the same list without a call when all objects are stored in the requested version', async () => {
    const { client, converter } = createFixture();
    const entries = widgets(2);
    expect(await converter.convertEntries(V1, entries, CONTEXT)).toBe(entries);
    expect(client.calls).toEqual([]);
  });
});

describe('cache of converted objects', () => {
  it('stores a converted object by its revision and the version of its definition', async () => {
    const { client, converter } = createFixture();
    const [first] = await converter.convertEntries(V2, [widget()], CONTEXT);
    const [again] = await converter.convertEntries(V2, [storedWidget(V1, 'w0', 1)], CONTEXT);
    expect(again).toBe(first);
    expect(client.calls).toHaveLength(1);
    await converter.convertEntries(V2, [storedWidget(V1, 'w0', 2)], CONTEXT);
    expect(client.calls).toHaveLength(2);
    await converter.convertEntries(convertedRows('changed')[1], [widget()], CONTEXT);
    expect(client.calls).toHaveLength(3);
  });

  it('is not used for objects that differ from the stored ones', async () => {
    const { client, converter } = createFixture();
    const entries = widgets(1);
    await converter.convertEntries(V2, entries, CONTEXT, { isFresh: true });
    await converter.convertEntries(V2, entries, CONTEXT);
    await converter.convertEntries(V2, entries, CONTEXT, { isFresh: true });
    expect(client.calls).toHaveLength(3);
  });

  it('evicts the oldest objects over 32 MiB', async () => {
    const { client, converter } = createFixture();
    // 40 MB; the last 20 MB fit into the cache.
    const entries = widgets(40, { text: 'x'.repeat(1_000_000) });
    await converter.convertEntries(V2, entries, CONTEXT);
    const callsBefore = client.calls.length;
    await converter.convertEntries(V2, entries.slice(-20), CONTEXT);
    expect(client.calls).toHaveLength(callsBefore);
    await converter.convertEntries(V2, entries.slice(0, 1), CONTEXT);
    expect(client.calls).toHaveLength(callsBefore + 1);
  });

  it('shares one call between concurrent requests for the same objects', async () => {
    const { client, converter } = createFixture();
    client.isHolding = true;
    const entries = widgets(3);
    const requests = [converter.convertEntries(V2, entries, CONTEXT), converter.convertEntries(V2, entries.slice(1), CONTEXT)];
    await nextTurn();
    await nextTurn();
    client.releasePending();
    const [first, second] = await Promise.all(requests);
    expect(client.calls).toHaveLength(1);
    expect(second).toEqual(first?.slice(1));
  });
});

describe('failing conversion webhook', () => {
  it('is logged, counted, and called again by the next request', async () => {
    const { calls, client, converter, failures } = createFixture();
    client.fault = 'Post "https://webhook.example/convert": refused';
    const message = `conversion webhook for example.com/v1, Kind=Widget failed: ${client.fault}`;
    await expect(converter.convertEntries(V2, widgets(2), CONTEXT)).rejects.toThrow(message);
    expect(failures).toEqual([message]);
    expect(calls).toMatchObject([{ from: 'v1', to: 'v2', definition: 'widgets.example.com', error: 'conversion_webhook_call_failure' }]);
    client.fault = undefined;
    expect(await converter.convertEntries(V2, widgets(2), CONTEXT)).toHaveLength(2);
    expect(calls.at(-1)).toMatchObject({ error: undefined });
  });

  it('ends the request with 504 just after its deadline, and its late response is cached for the next request', async () => {
    const { clock, client, converter } = createFixture();
    client.isHolding = true;
    const results: unknown[] = [];
    const late = converter
      .convertEntries(V2, widgets(1), { deadline: 1_000 })
      .catch((error: unknown) => error)
      .then((result) => results.push(result));
    await nextTurn();
    await nextTurn();
    clock.advance(1_000);
    await nextTurn();
    expect(results).toEqual([]);
    clock.advance(50);
    await late;
    expect(results).toEqual([expect.any(StatusError)]);
    expect(results).toMatchObject([{ code: 504 }]);
    // The late response.
    client.releasePending();
    await nextTurn();
    expect(await converter.convertEntries(V2, widgets(1), CONTEXT)).toHaveLength(1);
    expect(client.calls).toHaveLength(1);
  });
});

describe('conversion', () => {
  it('yields to the event loop while it processes many objects', async () => {
    const { clock, converter } = createFixture();
    let requeues = 0;
    // Reading the bytes of an entry takes half a millisecond.
    const entries = widgets(100).map((entry) => ({
      ...entry,
      get bytes(): Buffer {
        clock.advance(0.5);
        return entry.bytes;
      },
    }));
    await converter.convertEntries(V2, entries, { ...CONTEXT, requeue: () => ((requeues += 1), Promise.resolve()) });
    expect(requeues).toBeGreaterThan(10);
  });

  it('of one object calls the webhook unless the versions are equal or the object is empty', async () => {
    const { client, converter } = createFixture();
    const object = { metadata: { name: 'a' }, spec: { a: 1 } };
    expect(await converter.convertObject(V2, 'v2', 'v1', object, CONTEXT)).toEqual({
      metadata: { name: 'a' },
      spec: { a: 1, seen: true },
    });
    expect(client.calls.map(({ to }) => to)).toEqual(['example.com/v1']);
    expect(await converter.convertObject(V2, 'v2', 'v2', object, CONTEXT)).toBe(object);
    expect(await converter.convertObject(V2, 'v2', 'v1', { metadata: {} }, CONTEXT)).toEqual({ metadata: {} });
    expect(client.calls).toHaveLength(1);
  });

  it('keeps the resourceVersion of an object', async () => {
    const { converter } = createFixture();
    const [converted] = await converter.convertEntries(V2, widgets(1), CONTEXT);
    if (converted === undefined) throw new Error('no result');
    expect(parseEntry(converted).object).toMatchObject({ metadata: { resourceVersion: '1' } });
  });
});

describe('metadata of a converted object', () => {
  const labels = { a: 'b' };
  const stored = (): Entry => {
    const metadata = { name: 'é', namespace: 'n', uid: 'u', resourceVersion: '7', labels, annotations: { '"metadata":{': '}' } };
    const bytes = Buffer.from(JSON.stringify({ metadata, spec: { a: 1 } }));
    return { ...storedWidget(V1, 'é', 7), labels, bytes };
  };

  it('is the stored metadata when the webhook does not change it', async () => {
    const { converter } = createFixture();
    const entry = stored();
    const [converted] = await converter.convertEntries(V2, [entry], CONTEXT);
    expect(converted?.bytes.toString()).toBe(entry.bytes.toString().replace('"a":1', '"a":1,"seen":true'));
    expect(converted).toMatchObject({ key: entry.key, revision: 7, labels });
  });

  it('has the labels and annotations of the response', async () => {
    const { client, converter } = createFixture();
    client.changeMetadata = (metadata) => ({ ...metadata, labels: { c: 'd' }, annotations: {} });
    const entry = stored();
    const [converted] = await converter.convertEntries(V2, [entry], CONTEXT);
    const text = entry.bytes
      .toString()
      .replace('{"a":"b"}', '{"c":"d"}')
      .replace(/,"annotations".*"}}/, '}');
    expect(converted?.bytes.toString()).toBe(text.replace('"a":1', '"a":1,"seen":true'));
    expect(converted?.labels).toEqual({ c: 'd' });
  });

  it('is rejected when the response changes the name', async () => {
    const { client, converter } = createFixture();
    client.changeMetadata = (metadata) => ({ ...metadata, name: 'other' });
    await expect(converter.convertEntries(V2, [stored()], CONTEXT)).rejects.toThrow('must have the same name: é != other');
  });
});
