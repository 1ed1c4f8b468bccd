import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { isObject, type JsonValue } from '../../shared/values/json';
import { repository } from '../../test/support/repository';
import { chartPage, chartValues } from './chart-values';
import { GENERATED } from './pages';

const text = readFileSync(path.join(repository, 'deploy/chart/values.yaml'), 'utf8');

describe('chartValues', () => {
  it('reads keys, defaults and the comments above them', () => {
    const file = "# One.\n# Two.\na: ''\nb:\n  # Three.\n  c: { d: 1 }\n  e:\n    f: [x]\ng: 2\n";
    expect(chartValues(file)).toEqual([
      { key: 'a', default: "''", description: 'One. Two.' },
      { key: 'b.c', default: '{ d: 1 }', description: 'Three.' },
      { key: 'b.e.f', default: '[x]', description: '' },
      { key: 'g', default: '2', description: '' },
    ]);
  });

  it('rejects a line that it would leave out', () => {
    expect(() => chartValues('a:\n  - b\n')).toThrow('neither a key nor a comment:   - b');
  });

  it('reads from values.yaml what a parser of YAML reads', () => {
    const values: JsonValue = JSON.parse(JSON.stringify(load(text)));
    for (const row of chartValues(text)) {
      const value = row.key
        .split('.')
        .reduce<JsonValue | undefined>((parent, member) => (isObject(parent) ? parent[member] : undefined), values);
      expect({ key: row.key, value }).toEqual({ key: row.key, value: JSON.parse(JSON.stringify(load(row.default))) });
    }
  });
});

test('chart.md is what `npm run reference` writes', () => {
  expect(readFileSync(path.join(repository, 'docs/reference/chart.md'), 'utf8')).toBe(chartPage(text, GENERATED));
});
