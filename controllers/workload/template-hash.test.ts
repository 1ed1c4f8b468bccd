import { templateHash } from './template-hash';

const TEMPLATE = { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }], hostNetwork: null } };

test('templateHash does not depend on the order of the members of a template', () => {
  const other = { spec: { containers: [{ image: 'i', name: 'c' }] }, metadata: { labels: { c: 'd', a: 'b' } } };
  expect(templateHash(TEMPLATE)).toBe(templateHash(other));
});

test('templateHash returns the same hash in every process, and another one for a collision count', () => {
  expect(templateHash(TEMPLATE)).toBe('zs4k7bc75k');
  expect(templateHash(TEMPLATE, 1)).toBe('dqmjwdfwl9');
});

test('templateHash differs between templates and is a valid label value', () => {
  const other = { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'j' }] } };
  expect(templateHash(other)).not.toBe(templateHash(TEMPLATE));
  expect(templateHash(other)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
});
