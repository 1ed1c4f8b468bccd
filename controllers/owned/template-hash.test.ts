import { templateHash } from './template-hash';

const TEMPLATE = { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }], hostNetwork: null } };

test('the same template has the same hash, whatever the order of its members', () => {
  const other = { spec: { containers: [{ image: 'i', name: 'c' }] }, metadata: { labels: { c: 'd', a: 'b' } } };
  expect(templateHash(TEMPLATE)).toBe(templateHash(other));
});

test('the hash is the same in every process', () => {
  expect(templateHash(TEMPLATE)).toBe('zs4k7bc75k');
  expect(templateHash(TEMPLATE, 1)).toBe('dqmjwdfwl9');
});

test('another template has another one, and is good as a label', () => {
  const other = { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'j' }] } };
  expect(templateHash(other)).not.toBe(templateHash(TEMPLATE));
  expect(templateHash(other)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
});
