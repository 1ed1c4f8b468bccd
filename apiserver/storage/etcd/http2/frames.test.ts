import * as fc from 'fast-check';
import { contentOfFrame, DEFAULT_MAX_FRAME, Flag, encodeFrame, FrameReader, FrameType, OversizedFrameError, type Frame } from './frames';

const readAll = (chunks: readonly Buffer[]): Frame[] => {
  const frames: Frame[] = [];
  const reader = new FrameReader((received) => frames.push(received));
  for (const chunk of chunks) reader.feed(chunk);
  return frames;
};

const anyFrame = fc.record({
  type: fc.integer({ min: 0, max: 255 }),
  flags: fc.integer({ min: 0, max: 255 }),
  stream: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

it('FrameReader delivers the frames that were sent, however they are split into chunks', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 20 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(({ type, flags, stream, payload }) => encodeFrame(type, flags, stream, payload)));
      const bounds = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
      expect(readAll(chunks)).toEqual(frames);
    }),
  );
});

it('FrameReader accepts a frame of the maximum length and rejects a longer one', () => {
  const bytes = encodeFrame(FrameType.data, 0, 1, Buffer.alloc(DEFAULT_MAX_FRAME, 'x'));
  expect(readAll([bytes.subarray(0, 5), bytes.subarray(5, 9000), bytes.subarray(9000)])[0]?.payload.toString()).toBe(
    'x'.repeat(DEFAULT_MAX_FRAME),
  );
  const long = encodeFrame(FrameType.data, 0, 1, Buffer.alloc(DEFAULT_MAX_FRAME + 1));
  expect(() => readAll([long])).toThrow(OversizedFrameError);
  expect(() => readAll([long.subarray(0, 4), long.subarray(4)])).toThrow(OversizedFrameError);
});

it.each<[string, number, number, string, string | undefined]>([
  ['no padding', FrameType.data, 0, '616263', '616263'],
  ['padding', FrameType.data, Flag.padded, '026162630000', '616263'],
  ['padding and no content', FrameType.data, Flag.padded, '00', ''],
  ['more padding than content', FrameType.data, Flag.padded, '0400', undefined],
  ['a priority', FrameType.headers, Flag.priority, '8000000001616263', '616263'],
  ['padding and a priority', FrameType.headers, Flag.priority | Flag.padded, '018000000001626300', '6263'],
  ['a truncated priority', FrameType.headers, Flag.priority, '800000', undefined],
])('contentOfFrame returns the content of a payload with %s', (_, type, flags, payload, content) => {
  expect(contentOfFrame({ type, flags, stream: 1, payload: Buffer.from(payload, 'hex') })?.toString('hex')).toBe(content);
});
