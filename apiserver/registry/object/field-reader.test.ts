import { fieldReader } from './field-reader';

test('a field is looked for in its second place when there is nothing in the first', () => {
  const { read } = fieldReader({ name: 'source', path: 'source.component', fallback: 'reportingComponent' });
  expect(read({ source: { component: 'a' }, reportingComponent: 'b' })).toBe('a');
  expect(read({ source: { component: '' }, reportingComponent: 'b' })).toBe('b');
  expect(read({ source: {} })).toBe('');
});
