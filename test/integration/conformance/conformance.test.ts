/**
 * The table of upstream's conformance tests about workloads and admission (rows.json, release 1.31) names tests that exist: files, and titles as they stand in them or in
 * the tables that they replay.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lifecycles } from '../../replay/lifecycle';
import { casesOf } from '../../replay/recording';
import { SCENARIOS } from '../../replay/scenarios';
import { body, listOf, oneOf, shape, text } from '../../replay/shape';
import { repository } from '../../support/repository';

/** `upstream`: the rest of the name of upstream's test, without its marks. `by`: a file, and titles of its tests. `lacks`: what nothing here can show, and why. */
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

const PLAYED = /^test\/integration\/controllers\/([\w-]+)\.test\.ts$/;

const recorded = (name: string): readonly string[] => casesOf(name, body).map(({ title }) => (typeof title === 'string' ? title : ''));

/** Titles that a file has from a table, by the file. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'test/integration/http/lifecycles.test.ts': lifecycles('writes/lifecycles').cases.map(({ kind }) => kind.name),
  'test/integration/http/admission-webhooks.test.ts': recorded('admission/webhooks'),
  'test/integration/http/admission-policies.test.ts': recorded('admission/policies'),
  'apiserver/admission/quota/charge.test.ts': recorded('admission/quota'),
  'apiserver/admission/limit-ranger.test.ts': recorded('admission/limit-ranges'),
};

/** Recordings whose scenarios each file of the controllers plays say so by its own name. */
function titlesOf(file: string): readonly string[] {
  const [, recording = ''] = PLAYED.exec(file) ?? [];
  return TABLES[file] ?? SCENARIOS.get(recording)?.map(({ name }) => name) ?? [];
}

const named = rows.map((row) => [`${row.area} ${row.upstream}`, row] as const);

test.each(named)('%s', (_name, { by, shows }) => {
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
  expect(new Set(named.map(([name]) => name)).size).toBe(rows.length);
});
