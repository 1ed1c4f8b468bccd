import { transferableBuffers } from './worker-thread';

test('only memory that holds nothing else is moved', () => {
  const own = new Uint8Array(100);
  const pooled = Buffer.from('of the pool');
  const part = new Uint8Array(own.buffer, 10, 20);
  expect(transferableBuffers([own, pooled, undefined, new Uint8Array(0)])).toEqual([own.buffer]);
  expect(transferableBuffers([part])).toEqual([]);
});
