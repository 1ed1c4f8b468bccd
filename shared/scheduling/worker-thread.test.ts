import { transferableBuffers } from './worker-thread';

test('transferableBuffers returns only buffers that hold nothing but the view', () => {
  const own = new Uint8Array(100);
  const pooled = Buffer.from('of the pool');
  const slice = new Uint8Array(own.buffer, 10, 20);
  expect(transferableBuffers([own, pooled, undefined, new Uint8Array(0)])).toEqual([own.buffer]);
  expect(transferableBuffers([slice])).toEqual([]);
});
