import { fieldReader } from './field-reader';

describe('fieldReader', () => {
  const { read } = fieldReader({ name: 'source', path: 'source.component', fallback: 'reportingComponent' });

  test('reads the path', () => {
    expect(read({ source: { component: 'a' }, reportingComponent: 'b' })).toBe('a');
  });

  test('reads the fallback path when the value at the path is empty', () => {
    expect(read({ source: { component: '' }, reportingComponent: 'b' })).toBe('b');
  });

  test('returns an empty text when both are absent', () => {
    expect(read({ source: {} })).toBe('');
  });
});
