/**
 * docs/reference/performance.md as data: reads the page's tables and adds a run of the benchmark. The newest run is the
 * first column of a table of figures and the first row of the table of runs; older ones than {@link MAX_RUNS} are dropped.
 */
import { page, type Section } from '../../../deploy/reference/markdown';

export const PERFORMANCE_PAGE = 'docs/reference/performance.md';
/** Runs that the page keeps: as many columns as a reader can compare. */
const MAX_RUNS = 8;

const TITLE = 'Performance';
const INTRODUCTION =
  'Written by `npm run bench -- --parts=floor,growth --write`. Costs are CPU time of the measured process, in µs; `±` is the standard error. A busy machine changes CPU time less than latency, but its caches are colder: only runs on a quiet machine can be compared.';

const RUNS = { heading: 'Runs', columns: ['run', 'machine', 'Node', 'etcd'] };

const FIGURES = {
  floors: {
    heading: 'Floors',
    introduction:
      'What a request costs the server over what it costs at least: a read over the same bytes from a bare Node TLS server, a creation over its transaction by the same etcd client.',
  },
  growth: {
    heading: 'Growth',
    introduction:
      'The exponent of the cost while the number of items doubles five times: 0 is constant, 1 is linear. The sizes are those of the latest run, the costs those at the smallest and the largest size.',
  },
} as const;

export type FigureTable = keyof typeof FIGURES;

const SHARES = {
  heading: 'A get by filters',
  introduction:
    'The event loop of an API server that serves GET requests for a ConfigMap, by the filter or handler that runs; garbage collection and Node have rows of their own. Latest run, under a profiler.',
  columns: ['code', 'µs', '%'],
};

export interface PerformanceRun {
  /** The day, as in `2026-01-31`. */
  readonly date: string;
  readonly commit: string;
  /** Processors, memory and load. */
  readonly machine: string;
  readonly node: string;
  readonly etcd: string;
}

export interface FigureRow {
  readonly name: string;
  readonly bound: string;
  readonly figure: string;
}

export interface PerformanceResults {
  readonly figures: Readonly<Partial<Record<FigureTable, readonly FigureRow[]>>>;
  /** Rows of the table of a get by filters: code, µs and percent. */
  readonly shares?: readonly (readonly string[])[];
}

/** The page with the run added to that of `text`, which may be absent. Tables that the run has not measured stay as they are. */
export function addRun(text: string | undefined, run: PerformanceRun, { figures, shares }: PerformanceResults): string {
  const sections = new Map(text === undefined ? [] : parsePage(text).map((section) => [section.heading, section]));
  const name = `${run.date} ${run.commit}`;
  const runs = sections.get(RUNS.heading)?.rows.filter(([existing]) => existing !== name) ?? [];
  const keptRuns = [[name, run.machine, run.node, run.etcd], ...runs].slice(0, MAX_RUNS);
  const names = keptRuns.map(([runName = '']) => runName);
  const table = (key: FigureTable): Section =>
    figureSection(key, sections.get(FIGURES[key].heading), { name, names, added: figures[key] ?? [] });
  const shareRows = shares ?? sections.get(SHARES.heading)?.rows ?? [];
  return page(TITLE, INTRODUCTION, [{ ...RUNS, rows: keptRuns }, table('floors'), { ...SHARES, rows: shareRows }, table('growth')]);
}

/** Columns before those of the runs. */
const FIXED_COLUMNS = 2;

/** A table with a column for each of the runs that have figures in it. Rows that the run has not measured keep their older figures. */
function figureSection(
  table: FigureTable,
  existing: Section | undefined,
  { name, names, added }: { readonly name: string; readonly names: readonly string[]; readonly added: readonly FigureRow[] },
): Section {
  const columns = existing?.columns.slice(FIXED_COLUMNS) ?? [];
  const rows = new Map(added.map((row) => [row.name, { bound: row.bound, figures: new Map([[name, row.figure]]) }]));
  for (const [measured = '', bound = '', ...older] of existing?.rows ?? []) {
    const row = rows.get(measured) ?? { bound, figures: new Map<string, string>() };
    rows.set(measured, row);
    columns.forEach((column, index) => {
      if (!row.figures.has(column)) row.figures.set(column, older[index] ?? '');
    });
  }
  const shown = names.filter((column) => [...rows.values()].some(({ figures }) => (figures.get(column) ?? '') !== ''));
  const cells = Array.from(rows, ([measured, { bound, figures }]) => [
    measured,
    bound,
    ...shown.map((column) => figures.get(column) ?? ''),
  ]);
  const hasFigure = (row: readonly string[]): boolean => row.slice(FIXED_COLUMNS).some((figure) => figure !== '');
  return { ...FIGURES[table], columns: ['measured', 'bound', ...shown], rows: cells.filter(hasFigure) };
}

/** The sections of a page, without its title and introduction. Throws when other text precedes the first heading. */
export function parsePage(text: string): readonly Section[] {
  const [, , ...blocks] = text.trimEnd().split('\n\n');
  const sections: { heading: string; introduction?: string; columns: readonly string[]; rows: readonly (readonly string[])[] }[] = [];
  for (const block of blocks) {
    const section = sections.at(-1);
    if (block.startsWith('## ')) sections.push({ heading: block.slice(3), columns: [], rows: [] });
    else if (section === undefined) throw new Error(`${PERFORMANCE_PAGE}: ${block}`);
    else if (block.startsWith('| ')) {
      const [columns = [], , ...rows] = block.split('\n').map(cellsOf);
      Object.assign(section, { columns, rows });
    } else section.introduction = block;
  }
  return sections;
}

/** The cells of a line of a table, without the escapes of {@link page}. */
const cellsOf = (line: string): readonly string[] =>
  line
    .slice(2, -2)
    .split(' | ')
    .map((cell) => cell.replaceAll(/\\([|*<>])/g, '$1'));
