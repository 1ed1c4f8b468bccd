/**
 * The ledger of upstream's conformance tests of release 1.31: what each needs of a cluster, and which tests and
 * recordings of this repository show the same behaviour. Reads the file of rows; whether the named tests exist is
 * checked by test/integration/conformance.
 */
import { readFileSync } from 'node:fs';
import { tryParseObject } from '../../shared/client/rest/json-body';
import { arrayAt, stringAt, stringsAt, type JsonValue } from '../../shared/values/json';

/** A file of JSON lines: one row a line, sorted by name. Relative to the repository, which is the working directory. */
export const LEDGER_FILE = 'test/integration/conformance/ledger.jsonl';

/** What a cluster must have, besides the control plane, for a test of upstream to pass; least first. */
export const CLUSTER_NEEDS = ['control plane', 'simulated nodes', 'real node', 'two real nodes'] as const;
export type ClusterNeeds = (typeof CLUSTER_NEEDS)[number];

/** Tests of this repository. */
export interface TestReference {
  /** Relative to the repository. */
  readonly file: string;
  /** Empty for all tests of the file. */
  readonly titles: readonly string[];
}

/** One of upstream's tests. */
export interface LedgerRow {
  /** As the test binary prints it: `[sig-apps] Deployment … [Conformance]`. */
  readonly name: string;
  readonly needs: ClusterNeeds;
  /** What tests of this repository show of the behaviour, without upstream's test; empty when the names of recordings suffice. */
  readonly shows: string;
  readonly tests: readonly TestReference[];
  /** Replayed recordings below test/replay/answers, without the extension. */
  readonly recordings: readonly string[];
}

/** Throws an Error that names the line when a row has other members, no area in its name, or an unknown need. */
export function readLedger(file = LEDGER_FILE): readonly LedgerRow[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    const row = parseRow(line);
    if (row === undefined) throw new Error(`${file}:${index + 1} is not a row of the ledger`);
    return row;
  });
}

/** The start of a name: `[sig-apps] `. */
const AREA = /^\[sig-([a-z-]+)\] /;

/** The special interest group of a test: `apps`; empty when its name has none. */
export const areaOf = (name: string): string => AREA.exec(name)?.[1] ?? '';

const MEMBERS: ReadonlySet<string> = new Set(['name', 'needs', 'shows', 'tests', 'recordings']);

function parseRow(line: string): LedgerRow | undefined {
  const row = tryParseObject(line);
  if (row === undefined || Object.keys(row).some((member) => !MEMBERS.has(member))) return undefined;
  const name = stringAt(row, 'name') ?? '';
  const needs = CLUSTER_NEEDS.find((each) => each === row['needs']);
  const tests = (arrayAt(row, 'tests') ?? []).map(parseReference);
  if (areaOf(name) === '' || needs === undefined) return undefined;
  return { name, needs, shows: stringAt(row, 'shows') ?? '', tests, recordings: stringsAt(row, 'recordings') };
}

function parseReference(reference: JsonValue): TestReference {
  const [file = '', ...titles] = Array.isArray(reference) ? reference.map(String) : [];
  return { file, titles };
}

/** The number of rows with each need. */
export function countByNeeds(rows: readonly LedgerRow[]): Readonly<Record<ClusterNeeds, number>> {
  const count = (needs: ClusterNeeds): number => rows.filter((row) => row.needs === needs).length;
  return {
    'control plane': count('control plane'),
    'simulated nodes': count('simulated nodes'),
    'real node': count('real node'),
    'two real nodes': count('two real nodes'),
  };
}
