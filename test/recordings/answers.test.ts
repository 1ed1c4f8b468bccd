import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { answerLines, recordedAnswers, recordedNames } from './answers';

const root = path.join(__dirname, '../..');

/** Facts that the program itself reads, besides what is generated. */
const FACTS = ['shared/api/types/supplement.json'];

test('recorded answers lie in one place', () => {
  const elsewhere = ['apiserver', 'controllers', 'shared', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(folder, file))
      .filter((file) => /\.jsonl?$/.test(file) && !file.startsWith('test/recordings/answers/') && !file.includes('/generated/'))
      .filter((file) => !FACTS.includes(file) && statSync(path.join(root, file)).size > 4096),
  );
  expect(elsewhere).toEqual([]);
});

test.each([
  ['a list', [1, { a: 'b' }, null]],
  [
    'groups',
    [
      { kind: 'A', cases: [1, 2] },
      { kind: 'B', cases: [] },
    ],
  ],
  ['sections', { some: [1, 2], others: { a: [1], b: { c: 'd' } } }],
])('%s is a case a line', (_title, value) => {
  expect(answerLines(value).split('\n').length).toBeGreaterThan(3);
});

test('what is recorded can be read', () => {
  for (const area of ['core', 'custom', 'pods', 'values', 'workloads']) {
    for (const name of recordedNames(area)) expect(Object.keys(recordedAnswers<object>(name)).length).toBeGreaterThan(0);
  }
});
