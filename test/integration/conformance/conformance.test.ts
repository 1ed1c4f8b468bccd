/**
 * The table of upstream's conformance tests about workloads and admission (rows.json, release 1.31) names existing
 * tests: the files exist, and the titles occur in them or in the recordings that they replay.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lifecycles } from '../../replay/formats/lifecycle';
import { readCases } from '../../replay/recording';
import { SCENARIOS } from '../../replay/scenarios';
import { body, listOf, oneOf, shape, text } from '../../replay/shape';
import { repository } from '../../support/repository';

/**
 * `upstream`: the name of upstream's test after the area, without its tags. `by`: rows of a file and titles of its
 * tests. `lacks`: the part that no test here covers, and the reason.
 */
const isRow = shape(
  {
    sig: oneOf('api-machinery', 'apps', 'auth', 'instrumentation', 'node', 'scheduling'),
    area: text,
    upstream: text,
    shows: text,
    by: listOf(listOf(text)),
  },
  { lacks: text },
);

const rows: unknown = JSON.parse(readFileSync(path.join(__dirname, 'rows.json'), 'utf8'));
if (!listOf(isRow)(rows)) throw new Error('rows.json has a row that is not as expected');

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

const namedRows = rows.map((row) => [`${row.area} ${row.upstream}`, row] as const);

test.each(namedRows)('the row "%s" names existing tests', (_name, { by, shows }) => {
  expect(shows).not.toBe('');
  expect(by).not.toEqual([]);
  for (const [file = '', ...titles] of by) {
    expect([file, existsSync(path.join(repository, file))]).toEqual([file, true]);
    const text = readFileSync(path.join(repository, file), 'utf8');
    const known = titlesOf(file);
    expect(titles.filter((title) => !known.includes(title) && !text.includes(`'${title}'`))).toEqual([]);
  }
});

test('each of upstream\u2019s tests has one row', () => {
  expect(new Set(namedRows.map(([name]) => name)).size).toBe(rows.length);
});
