/**
 * The page of docs/reference about upstream's conformance tests: their number by what they need, and a table for each
 * area. It follows from the ledger alone.
 */
import { areaOf, CLUSTER_NEEDS, countByNeeds, readLedger, type LedgerRow } from './conformance-ledger';
import { code, page, type Cell, type Section } from './markdown';

/** `generated`: the sentence that names the generator. */
export function conformancePage(generated: string): string {
  const rows = readLedger();
  const areas = [...new Set(rows.map(({ name }) => areaOf(name)))].sort();
  const introduction = [
    generated,
    `The ${rows.length} conformance tests of release 1.31: what a cluster needs for upstream's test to pass,`,
    'and the tests of this repository that show the same behaviour without it.',
    '`npm run test:node` runs the tests of upstream (CONTRIBUTING.md).',
  ].join('\n');
  return page('Conformance', introduction, [countSection(rows, areas), ...areas.map((area) => areaSection(rows, area))]);
}

const inArea = (rows: readonly LedgerRow[], area: string): readonly LedgerRow[] => rows.filter(({ name }) => areaOf(name) === area);

function countSection(rows: readonly LedgerRow[], areas: readonly string[]): Section {
  const counts = (name: string, counted: readonly LedgerRow[]): readonly Cell[] => {
    const byNeeds = countByNeeds(counted);
    return [
      name,
      ...CLUSTER_NEEDS.map((needs) => String(byNeeds[needs])),
      String(counted.filter(isShownHere).length),
      String(counted.length),
    ];
  };
  return {
    heading: 'Number of tests',
    introduction: 'Columns: what a cluster needs besides the control plane and its controllers; tests shown here; all tests.',
    columns: ['area', ...CLUSTER_NEEDS, 'shown here', 'all'],
    rows: [...areas.map((area) => counts(`sig-${area}`, inArea(rows, area))), counts('all', rows)],
  };
}

const isShownHere = ({ tests, recordings }: LedgerRow): boolean => tests.length > 0 || recordings.length > 0;

function areaSection(rows: readonly LedgerRow[], area: string): Section {
  return {
    heading: `sig-${area}`,
    columns: ['test', 'needs', 'shown here', 'by'],
    rows: inArea(rows, area).map((row) => [shortName(row.name), row.needs, row.shows, evidence(row)]),
  };
}

/** For example `[sig-apps]` and ` [Conformance]`. */
const AREA_OR_TAG = / ?\[(?:sig-[a-z-]+|[A-Z][A-Za-z:.\d]*)\]/g;

/** Without the area and the tags, which are the same in most names. */
const shortName = (name: string): Cell => name.replaceAll(AREA_OR_TAG, '').trim().replaceAll('`', "'");

function evidence({ tests, recordings }: LedgerRow): Cell {
  return [...tests.map(({ file }) => file), ...recordings.map((name) => `answers/${name}`)].map(code).join(', ');
}
