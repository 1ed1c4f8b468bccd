import fc from 'fast-check';
import { formatFence, isInForce, parseFence } from './fencing';

test('the header can be read back, whatever the holder is called', () => {
  const holder = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(holder, fc.nat(), (name, transitions) => {
      const fence = { namespace: 'platform-system', name: 'controller-x.y', holder: name, transitions };
      expect(parseFence(formatFence(fence))).toEqual(fence);
    }),
  );
});

test.each(['', 'a/b', 'a/b;x;c', 'a/b;1;', 'A/b;1;c', 'a/b;1;%', 'a/b/c;1;d', 'a/../b;1;c', 'a/b;1;c;d', `a/b;${'9'.repeat(20)};c`])(
  'anything else is no fence: %j',
  (text) => expect(parseFence(text)).toBeUndefined(),
);

test('a term is in force while holder and transitions are the same', () => {
  const fence = { namespace: 'n', name: 'l', holder: 'me', transitions: 0 };
  expect(isInForce(fence, { spec: { holderIdentity: 'me', leaseTransitions: 0 } })).toBe(true);
  expect(isInForce(fence, { spec: { holderIdentity: 'me' } })).toBe(true);
  expect(isInForce(fence, { spec: { holderIdentity: 'me', leaseTransitions: 1 } })).toBe(false);
  expect(isInForce(fence, { spec: { holderIdentity: 'other', leaseTransitions: 0 } })).toBe(false);
  expect(isInForce(fence, { spec: {} })).toBe(false);
  expect(isInForce(fence, undefined)).toBe(false);
});
