/**
 * Conversion of custom resources by a webhook that is a fake: how objects are distributed over calls, cached results,
 * and failures.
 */
import { StatusError } from '../../shared/api/errors/status';
import type { Random } from '../../shared/runtime/random';
import { systemRandom } from '../../shared/runtime/random';
import { convertedRows, storedWidget, InProcessConversionWebhook } from '../../test/support/objects/converted-kind';
import { ManualClock } from '../../test/support/clock/manual-clock';
import type { Entry } from '../cache/cache';
import type { ConversionContext } from '../registry/conversions';
import { parseEntry } from '../registry/object/stored-object';
import { WebhookConverter, type ConversionCall } from './converter';

const [FIRST, SECOND] = convertedRows();
const LATER: ConversionContext = { deadline: 1_000_000 };

function fixture() {
  const clock = new ManualClock();
  const client = new InProcessConversionWebhook();
  const calls: ConversionCall[] = [];
  const failures: string[] = [];
  const random: Random = systemRandom;
  const converter = new WebhookConverter({
    client,
    dialect: 'kubernetes',
    clock,
    random,
    onCall: (call) => calls.push(call),
    onFailure: (error) => failures.push(error.message),
  });
  return { clock, client, converter, calls, failures };
}

const widgets = (count: number, spec = {}, revision = 0) =>
  Array.from({ length: count }, (_, index) => storedWidget(FIRST, `w${index}`, revision + index + 1, spec));
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** The webhook of these tests adds the member `seen`. */
const isSeen = (bytes: Buffer): boolean => bytes.toString().includes('"seen":true');

describe('conversion of a list', () => {
  it('sends 500 objects per call, at most four calls at a time, and keeps the order', async () => {
    const { client, converter } = fixture();
    client.isHolding = true;
    const entries = widgets(2_600);
    const work = converter.convertEntries(SECOND, entries, LATER);
    for (let round = 0; round < 50; round += 1) {
      await nextTurn();
      client.releasePending();
    }
    const shown = await work;
    expect(client.calls.map(({ names }) => names.length)).toEqual([500, 500, 500, 500, 500, 100]);
    expect(client.maxPending).toBe(4);
    expect(shown.map(({ key, revision }) => [key, revision])).toEqual(entries.map(({ key, revision }) => [key, revision]));
    expect(shown.every(({ bytes }) => isSeen(bytes))).toBe(true);
  });

  it('sends at most 1 MiB per call, and a larger object in its own call', async () => {
    const { client, converter } = fixture();
    const entries = [...widgets(10, { text: 'x'.repeat(300_000) }), storedWidget(FIRST, 'big', 99, { text: 'x'.repeat(2_000_000) })];
    await converter.convertEntries(SECOND, entries, LATER);
    expect(client.calls.map(({ names }) => names.length)).toEqual([3, 3, 3, 1, 1]);
    // A response may have 4 MiB, and more if its request has more than a fourth of that.
    for (const { options, bytes } of client.calls) expect(options.maxBytes).toBe(Math.max(4 * 1024 * 1024, bytes * 4));
    expect(client.calls[0]?.options).toMatchObject({ timeoutMs: 30_000, query: '?timeout=30s' });
  });

  it('does not send objects that are stored in the requested version', async () => {
    const { client, converter } = fixture();
    const [old] = widgets(1);
    const fresh = storedWidget(convertedRows('', 'v2')[1], 'fresh', 7);
    if (old === undefined) throw new Error('no widget');
    const shown = await converter.convertEntries(SECOND, [fresh, old], LATER);
    expect(client.calls.map(({ names }) => names)).toEqual([['w0']]);
    expect(shown[0]).toBe(fresh);
    const same = [fresh];
    expect(await converter.convertEntries(SECOND, same, LATER)).toBe(same);
    expect(await converter.convertEntries(FIRST, [old], LATER)).toEqual([old]);
    expect(client.calls).toHaveLength(1);
  });
});

describe('cache of converted objects', () => {
  it('stores a converted object by its revision and the version of its definition', async () => {
    const { client, converter } = fixture();
    const [entry] = widgets(1);
    if (entry === undefined) throw new Error('no widget');
    const [first] = await converter.convertEntries(SECOND, [entry], LATER);
    const [again] = await converter.convertEntries(SECOND, [storedWidget(FIRST, 'w0', 1)], LATER);
    expect(again).toBe(first);
    expect(client.calls).toHaveLength(1);
    await converter.convertEntries(SECOND, [storedWidget(FIRST, 'w0', 2)], LATER);
    expect(client.calls).toHaveLength(2);
    await converter.convertEntries(convertedRows('changed')[1], [entry], LATER);
    expect(client.calls).toHaveLength(3);
  });

  it('is not used for objects that differ from the stored ones', async () => {
    const { client, converter } = fixture();
    const entries = widgets(1);
    await converter.convertEntries(SECOND, entries, LATER, { isFresh: true });
    await converter.convertEntries(SECOND, entries, LATER);
    await converter.convertEntries(SECOND, entries, LATER, { isFresh: true });
    expect(client.calls).toHaveLength(3);
  });

  it('evicts the oldest objects over 32 MiB', async () => {
    const { client, converter } = fixture();
    const entries = widgets(40, { text: 'x'.repeat(1_000_000) });
    await converter.convertEntries(SECOND, entries, LATER);
    const { length } = client.calls;
    await converter.convertEntries(SECOND, entries.slice(-20), LATER);
    expect(client.calls).toHaveLength(length);
    await converter.convertEntries(SECOND, entries.slice(0, 1), LATER);
    expect(client.calls).toHaveLength(length + 1);
  });

  it('shares one call between concurrent requests for the same objects', async () => {
    const { client, converter } = fixture();
    client.isHolding = true;
    const entries = widgets(3);
    const requests = [converter.convertEntries(SECOND, entries, LATER), converter.convertEntries(SECOND, entries.slice(1), LATER)];
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
    const { calls, client, converter, failures } = fixture();
    client.fault = 'Post "https://webhook.example/convert": refused';
    const message = `conversion webhook for example.com/v1, Kind=Widget failed: ${client.fault}`;
    await expect(converter.convertEntries(SECOND, widgets(2), LATER)).rejects.toThrow(message);
    expect(failures).toEqual([message]);
    expect(calls).toMatchObject([{ from: 'v1', to: 'v2', definition: 'widgets.example.com', error: 'conversion_webhook_call_failure' }]);
    client.fault = undefined;
    expect(await converter.convertEntries(SECOND, widgets(2), LATER)).toHaveLength(2);
    expect(calls[1]).toMatchObject({ error: undefined });
  });

  it('ends the request with 504 just after its deadline, and its late response is cached for the next request', async () => {
    const { clock, client, converter } = fixture();
    client.isHolding = true;
    let isOver = false;
    const late = converter.convertEntries(SECOND, widgets(1), { deadline: 1_000 }).catch((error: unknown) => ((isOver = true), error));
    await nextTurn();
    await nextTurn();
    clock.advance(1_000);
    await nextTurn();
    expect(isOver).toBe(false);
    clock.advance(50);
    const error = await late;
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 504 });
    client.releasePending();
    await nextTurn();
    expect(await converter.convertEntries(SECOND, widgets(1), LATER)).toHaveLength(1);
    expect(client.calls).toHaveLength(1);
  });
});

describe('conversion', () => {
  it('yields to the event loop while it processes many objects', async () => {
    const { clock, converter } = fixture();
    let requeues = 0;
    const entries = widgets(100).map((entry) => ({
      ...entry,
      get bytes(): Buffer {
        clock.advance(0.5);
        return entry.bytes;
      },
    }));
    await converter.convertEntries(SECOND, entries, { ...LATER, requeue: () => ((requeues += 1), Promise.resolve()) });
    expect(requeues).toBeGreaterThan(10);
  });

  it('of one object works between any two versions and calls no webhook for an empty object', async () => {
    const { client, converter } = fixture();
    const object = { metadata: { name: 'a' }, spec: { a: 1 } };
    expect(await converter.convertObject(SECOND, 'v2', 'v1', object, LATER)).toEqual({
      metadata: { name: 'a' },
      spec: { a: 1, seen: true },
    });
    expect(client.calls.map(({ to }) => to)).toEqual(['example.com/v1']);
    expect(await converter.convertObject(SECOND, 'v2', 'v2', object, LATER)).toBe(object);
    expect(await converter.convertObject(SECOND, 'v2', 'v1', { metadata: {} }, LATER)).toEqual({ metadata: {} });
    expect(client.calls).toHaveLength(1);
  });

  it('keeps the resourceVersion of an object', async () => {
    const { converter } = fixture();
    const [shown] = await converter.convertEntries(SECOND, widgets(1), LATER);
    if (shown === undefined) throw new Error('nothing');
    expect(parseEntry(shown).object).toMatchObject({ metadata: { resourceVersion: '1' } });
  });
});

describe('metadata of a converted object', () => {
  const labels = { a: 'b' };
  const stored = (): Entry => {
    const metadata = { name: 'é', namespace: 'n', uid: 'u', resourceVersion: '7', labels, annotations: { '"metadata":{': '}' } };
    const bytes = Buffer.from(JSON.stringify({ metadata, spec: { a: 1 } }));
    return { ...storedWidget(FIRST, 'é', 7), labels, bytes };
  };

  it('is the stored metadata when the webhook does not change it', async () => {
    const { converter } = fixture();
    const entry = stored();
    const [shown] = await converter.convertEntries(SECOND, [entry], LATER);
    expect(shown?.bytes.toString()).toBe(entry.bytes.toString().replace('"a":1', '"a":1,"seen":true'));
    expect(shown).toMatchObject({ key: entry.key, revision: 7, labels });
  });

  it('has the labels and annotations of the response', async () => {
    const { client, converter } = fixture();
    client.changeMetadata = (metadata) => ({ ...metadata, labels: { c: 'd' }, annotations: {} });
    const entry = stored();
    const [shown] = await converter.convertEntries(SECOND, [entry], LATER);
    const text = entry.bytes
      .toString()
      .replace('{"a":"b"}', '{"c":"d"}')
      .replace(/,"annotations".*"}}/, '}');
    expect(shown?.bytes.toString()).toBe(text.replace('"a":1', '"a":1,"seen":true'));
    expect(shown?.labels).toEqual({ c: 'd' });
  });

  it('is rejected when the response changes the name', async () => {
    const { client, converter } = fixture();
    client.changeMetadata = (metadata) => ({ ...metadata, name: 'other' });
    await expect(converter.convertEntries(SECOND, [stored()], LATER)).rejects.toThrow('must have the same name: é != other');
  });
});
