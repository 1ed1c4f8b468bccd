import { fieldReader } from './field-reader';

test('fieldReader reads the fallback path when the path is empty', () => {
  const { read } = fieldReader({ name: 'source', path: 'source.component', fallback: 'reportingComponent' });
  expect(read({ source: { component: 'a' }, reportingComponent: 'b' })).toBe('a');
  expect(read({ source: { component: '' }, reportingComponent: 'b' })).toBe('b');
  expect(read({ source: {} })).toBe('');
});
