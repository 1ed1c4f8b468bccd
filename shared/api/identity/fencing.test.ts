import fc from 'fast-check';
import { formatFence, isFenceInForce, parseFence } from './fencing';

test('parseFence reads what formatFence writes, whatever characters the holder has', () => {
  const holder = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(holder, fc.nat(), (name, transitions) => {
      const fence = { namespace: 'platform-system', name: 'controller-x.y', holder: name, transitions };
      expect(parseFence(formatFence(fence))).toEqual(fence);
    }),
  );
});

test.each(['', 'a/b', 'a/b;x;c', 'a/b;1;', 'A/b;1;c', 'a/b;1;%', 'a/b/c;1;d', 'a/../b;1;c', 'a/b;1;c;d', `a/b;${'9'.repeat(20)};c`])(
  'parseFence returns undefined for the malformed header %j',
  (text) => expect(parseFence(text)).toBeUndefined(),
);

test('isFenceInForce is true only while the Lease has the holder and transitions of the fence', () => {
  const fence = { namespace: 'n', name: 'l', holder: 'me', transitions: 0 };
  expect(isFenceInForce(fence, { spec: { holderIdentity: 'me', leaseTransitions: 0 } })).toBe(true);
  expect(isFenceInForce(fence, { spec: { holderIdentity: 'me' } })).toBe(true);
  expect(isFenceInForce(fence, { spec: { holderIdentity: 'me', leaseTransitions: 1 } })).toBe(false);
  expect(isFenceInForce(fence, { spec: { holderIdentity: 'other', leaseTransitions: 0 } })).toBe(false);
  expect(isFenceInForce(fence, { spec: {} })).toBe(false);
  expect(isFenceInForce(fence, undefined)).toBe(false);
});
