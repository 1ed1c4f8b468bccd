/** How the results of a run are added to the performance page, and the page of the repository. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { page } from '../../../deploy/reference/markdown';
import { repository } from '../repository';
import { addRun, parsePage, PERFORMANCE_PAGE, type FigureRow, type PerformanceResults, type PerformanceRun } from './performance-page';

const run = (day: number): PerformanceRun => ({
  date: `2026-01-${String(day).padStart(2, '0')}`,
  commit: `c${day}`,
  machine: '2 × A|B',
  node: '20',
  etcd: '3.5',
});
const floors = (...names: readonly string[]): PerformanceResults => ({
  figures: { floors: names.map((name): FigureRow => ({ name, bound: '≤ 1.25', figure: `figure of ${name}` })) },
});
const section = (text: string, heading: string) => parsePage(text).find((candidate) => candidate.heading === heading);

describe('addRun', () => {
  it('puts the newest run first', () => {
    const text = addRun(addRun(undefined, run(1), floors('get')), run(2), floors('get'));
    expect(section(text, 'Floors')?.columns).toEqual(['measured', 'bound', '2026-01-02 c2', '2026-01-01 c1']);
    expect(section(text, 'Runs')?.rows.map(([name]) => name)).toEqual(['2026-01-02 c2', '2026-01-01 c1']);
  });

  it('replaces the figures of a run that is repeated', () => {
    const text = addRun(addRun(undefined, run(1), floors('get', 'list')), run(1), floors('get'));
    expect(section(text, 'Floors')?.rows).toEqual([
      ['get', '≤ 1.25', 'figure of get'],
      ['list', '≤ 1.25', 'figure of list'],
    ]);
    expect(section(text, 'Runs')?.rows).toHaveLength(1);
  });

  it('keeps the tables of parts that the run has not measured', () => {
    const growth = { figures: { growth: [{ name: 'objects: get', bound: '≤ 0.1', figure: '0.01' }] }, shares: [['handler', '12.0', '40']] };
    const text = addRun(addRun(undefined, run(1), growth), run(2), floors('get'));
    expect(section(text, 'Growth')?.rows).toEqual([['objects: get', '≤ 0.1', '0.01']]);
    expect(section(text, 'A get by filters')?.rows).toEqual([['handler', '12.0', '40']]);
  });

  it('drops the oldest of more than eight runs', () => {
    let text: string | undefined;
    for (let day = 1; day <= 10; day += 1) text = addRun(text, run(day), floors('get'));
    expect(section(text ?? '', 'Runs')?.rows).toHaveLength(8);
    expect(section(text ?? '', 'Floors')?.columns).toHaveLength(10);
  });

  it('leaves escaped cells as they are when a later run is added', () => {
    const text = addRun(addRun(undefined, run(1), floors('a|b *', 'get')), run(2), floors('get'));
    expect(section(text, 'Floors')?.rows).toContainEqual(['a|b *', '≤ 1.25', '', 'figure of a|b *']);
  });
});

describe('docs/reference/performance.md', () => {
  it('has the format that the benchmark reads and writes', () => {
    const file = path.join(repository, PERFORMANCE_PAGE);
    expect(existsSync(file)).toBe(true);
    const text = readFileSync(file, 'utf8');
    const [title = '', introduction = ''] = text.split('\n\n');
    expect(page(title.slice(2), introduction, parsePage(text))).toBe(text);
    expect(parsePage(text).map(({ heading }) => heading)).toEqual(['Runs', 'Floors', 'A get by filters', 'Growth']);
  });
});
