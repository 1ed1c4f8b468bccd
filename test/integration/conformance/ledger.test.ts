/**
 * The ledger of upstream's conformance tests (ledger.jsonl, release 1.31) names every test that the test binary
 * contains (names.txt, recorded with `npm run test:node -- --record-names`), and only tests and recordings of this
 * repository that exist.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CLUSTER_NEEDS, countByNeeds, readLedger } from '../../../deploy/reference/conformance-ledger';
import { lifecycles } from '../../replay/formats/lifecycle';
import { RECORDINGS_FOLDER, readCases } from '../../replay/recording';
import { SCENARIOS } from '../../replay/scenarios';
import { body } from '../../replay/shape';
import { repository } from '../../support/repository';

const rows = readLedger(path.join(__dirname, 'ledger.jsonl'));
const recordedNames = readFileSync(path.join(__dirname, 'names.txt'), 'utf8').trimEnd().split('\n');

const CONTROLLER_TEST_FILE = /^test\/integration\/controllers\/([\w-]+)\.test\.ts$/;

const recordedTitles = (name: string): readonly string[] =>
  readCases(name, body).map(({ title }) => (typeof title === 'string' ? title : ''));

/** Titles that a file takes from a recording, by the file. */
const TABLE_TITLES: Readonly<Record<string, readonly string[]>> = {
  'test/integration/http/recorded-lifecycles.test.ts': lifecycles('writes/lifecycles').cases.map(({ kind }) => kind.name),
  'test/integration/http/admission-webhooks.test.ts': recordedTitles('admission/webhooks'),
  'test/integration/http/admission-policies.test.ts': recordedTitles('admission/policies'),
  'apiserver/admission/plugins/quota/usage-delta.test.ts': recordedTitles('admission/quota'),
  'apiserver/admission/plugins/pods/limit-ranger.test.ts': recordedTitles('admission/limit-ranges'),
};

/** A file in test/integration/controllers has the name of the recording that it replays. */
function titlesOf(file: string): readonly string[] {
  const [, recording = ''] = CONTROLLER_TEST_FILE.exec(file) ?? [];
  return TABLE_TITLES[file] ?? SCENARIOS.get(recording)?.map(({ name }) => name) ?? [];
}

const exists = (file: string): boolean => existsSync(path.join(repository, file));

/** The files, titles and recordings that a row names and that do not exist. */
function missingEvidence({ tests, recordings }: (typeof rows)[number]): readonly string[] {
  const missingTitles = tests.flatMap(({ file, titles }) => {
    if (!exists(file)) return [file];
    const text = readFileSync(path.join(repository, file), 'utf8');
    const known = titlesOf(file);
    return titles.filter((title) => !known.includes(title) && !text.includes(`'${title}'`)).map((title) => `${file}: ${title}`);
  });
  return [...missingTitles, ...recordings.filter((name) => !exists(path.join(RECORDINGS_FOLDER, `${name}.jsonl`)))];
}

const counts = countByNeeds(rows);
const summary = CLUSTER_NEEDS.map((needs) => `${counts[needs]} ${needs}`).join(', ');

describe(`the ledger of ${rows.length} conformance tests (${summary})`, () => {
  it('names every test of the binary exactly once, in the recorded order', () => {
    expect(rows.map(({ name }) => name)).toEqual(recordedNames);
    expect(new Set(recordedNames).size).toBe(recordedNames.length);
  });

  it('names only tests and recordings that exist', () => {
    expect(rows.flatMap(missingEvidence)).toEqual([]);
  });

  it('states what is shown only where it names a test or a recording', () => {
    expect(rows.filter(({ tests, recordings, shows }) => shows !== '' && tests.length + recordings.length === 0)).toEqual([]);
  });
});
