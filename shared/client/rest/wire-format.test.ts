/**
 * Accept headers, and responses in JSON and protobuf: whole ones, and streams of watch events in chunks of any length.
 */
import fc from 'fast-check';
import { encodeProtobuf, encodeProtobufMessage } from '../../serialization';
import { WIRE_TYPES, WireWriter } from '../../serialization/protobuf/wire';
import type { JsonObject } from '../../values/json';
import { MalformedResponse } from './api-object';
import { metadataOf, resourceOf } from './resource';
import { acceptHeader, decodeWatchEvents, decodeList, decodeStatus, type RawEvent } from './wire-format';

const BINARY = 'application/vnd.platform.protobuf';
const MAPS = resourceOf('core.v1.ConfigMap');
const map = (name: string): JsonObject => ({
  metadata: { namespace: 'n', name, creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
  data: { text: 'é' },
});

/** A protobuf message of length-delimited fields. */
function message(fields: readonly (readonly [number: number, bytes: Buffer])[]): Buffer {
  const out = new WireWriter();
  for (const [number, bytes] of fields) out.field(number, WIRE_TYPES.bytes).bytes(bytes);
  return out.finish();
}

/** A message in the envelope of the API: the magic number, and `raw` (field 2) of runtime.Unknown. */
const enveloped = (inner: Buffer): Buffer => Buffer.concat([Buffer.from('k8s\0'), message([[2, inner]])]);

/**
 * A length-prefixed watch event: `type` (field 1), and `object` (field 2), a RawExtension with the bytes in field 1.
 */
function frame(type: string, object: Buffer): Buffer {
  const event = message([
    [1, Buffer.from(type)],
    [2, message([[1, object]])],
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

async function* chunks(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(part);
}

async function collectEvents(events: AsyncIterable<RawEvent>): Promise<readonly RawEvent[]> {
  const collected: RawEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/** With upstream's group after our own, because extension API servers know only that. */
function metadataMediaTypes(as: string): string {
  return ['meta.platform.io', 'meta.k8s.io'].map((group) => `application/json;as=${as};g=${group};v=v1`).join(', ');
}

it.each([
  [{ target: 'list', metadataOnly: false, protobuf: false }, 'application/json'],
  [{ target: 'object', metadataOnly: true, protobuf: false }, `${metadataMediaTypes('PartialObjectMetadata')}, application/json`],
  [
    { target: 'list', metadataOnly: true, protobuf: true },
    `${BINARY};as=PartialObjectMetadataList;g=meta.platform.io;v=v1, ${metadataMediaTypes('PartialObjectMetadataList')}, application/json`,
  ],
] as const)('acceptHeader returns the media types for %p', (form, accept) => {
  expect(acceptHeader('platform', form)).toBe(accept);
});

it('acceptHeader uses only the group names of upstream in the kubernetes dialect', () =>
  expect(acceptHeader('kubernetes', { target: 'object', metadataOnly: true, protobuf: false })).toBe(
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json',
  ));

it('decodeList decodes a list from protobuf or JSON according to the content type', () => {
  const list = { metadata: { resourceVersion: '7', continue: 'c' }, items: [map('a'), map('b')] };
  const binary = enveloped(
    message([
      [1, encodeProtobufMessage('meta.v1.ListMeta', list.metadata)],
      ...list.items.map((item) => [2, encodeProtobufMessage('core.v1.ConfigMap', item)] as const),
    ]),
  );
  expect(decodeList(BINARY, binary, MAPS)).toEqual(list);
  expect(decodeList('application/json', Buffer.from(JSON.stringify(list)), MAPS)).toEqual(list);
});

it('decodeList rejects malformed protobuf', () => {
  expect(() => decodeList(BINARY, Buffer.from('k8s\0\xff'), MAPS)).toThrow(MalformedResponse);
});

it('decodeList rejects protobuf of a resource that has none', () => {
  expect(() => decodeList(BINARY, enveloped(message([])), { ...MAPS, resource: 'others' })).toThrow(MalformedResponse);
});

it('decodeList decodes a list of PartialObjectMetadata', () => {
  const { metadata } = map('a');
  const item = encodeProtobufMessage('meta.v1.PartialObjectMetadata', { metadata: metadata ?? null });
  expect(decodeList(BINARY, enveloped(message([[2, item]])), metadataOf(MAPS))).toEqual({ metadata: {}, items: [{ metadata }] });
});

it('decodeWatchEvents decodes whole watch events with any chunk boundaries', async () => {
  const status = { status: 'Failure', reason: 'Expired', code: 410 };
  const bytes = Buffer.concat([
    frame('ADDED', encodeProtobuf('core.v1.ConfigMap', map('a'), 'v1', 'ConfigMap')),
    frame('ERROR', encodeProtobuf('meta.v1.Status', status, 'v1', 'Status')),
    // An incomplete frame at the end of the stream is dropped.
    frame('ADDED', encodeProtobuf('core.v1.ConfigMap', map('b'), 'v1', 'ConfigMap')).subarray(0, 30),
  ]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const boundaries = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const parts = boundaries.slice(1).map((end, index) => bytes.subarray(boundaries[index], end));
      const events = await collectEvents(decodeWatchEvents(BINARY, chunks(parts), 1_000, MAPS));
      expect(events.map(({ event }) => event)).toMatchObject([
        { type: 'ADDED', object: map('a') },
        { type: 'ERROR', object: status },
      ]);
    }),
  );
});

it('decodeWatchEvents rejects a frame longer than the limit', async () => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(1_001);
  await expect(collectEvents(decodeWatchEvents(BINARY, chunks([prefix]), 1_000, MAPS))).rejects.toThrow(MalformedResponse);
});

it('decodeWatchEvents rejects a line that is not an object', async () => {
  await expect(collectEvents(decodeWatchEvents('application/json', chunks([Buffer.from('[]\n')]), 1_000, MAPS))).rejects.toThrow(
    MalformedResponse,
  );
});

it('decodeStatus decodes a Status from protobuf or JSON according to the content type', () => {
  const status = { message: 'no', reason: 'Forbidden', code: 403 };
  expect(decodeStatus(BINARY, encodeProtobuf('meta.v1.Status', status, 'v1', 'Status'))).toMatchObject(status);
  expect(decodeStatus('application/json', Buffer.from(JSON.stringify(status)))).toEqual(status);
});

it('decodeStatus returns undefined for a body that is no Status', () => {
  expect(decodeStatus(BINARY, Buffer.from('no'))).toBeUndefined();
  expect(decodeStatus('text/plain', Buffer.from('no'))).toBeUndefined();
});
