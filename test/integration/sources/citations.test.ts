/**
 * Whoever reads a source has this repository and what is public, nothing else: comments give their reason themselves, cite sections only of public
 * documents, by name and on the same line (RFC 9113, KEP-1623), and name only source files that are there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const FOLDERS = ['apiserver', 'controllers', 'shared', 'deploy', 'test'];
const SOURCE = /\.(?:ts|mjs|cjs)$/;

const SECTION = /\u00a7/;
const PUBLIC = /\b(?:RFC \d|KEP-\d)/;
const UNKNOWN = /behaviour[-]reference|\b(?:design|specification|libraries)(?:[.]md\b| \d)/i;

const citesTheUnknown = (line: string): boolean => UNKNOWN.test(line) || (SECTION.test(line) && !PUBLIC.test(line));

function sources(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => SOURCE.test(file))
      .map((file) => path.join(folder, file)),
  );
}

test('no source cites a document that its reader does not have', () => {
  const found = sources().flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (citesTheUnknown(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});

const COMMENT = /^\s*(?:\/?\*|\/\/)/;
const FILE = /(?<![\w./@<*-])(?:[\w-]+\/)*[\w-]+\.(?:ts|mjs)\b/g;

test('no comment names a source file that is not there', () => {
  const all = sources();
  // A path may begin anywhere, as one reads it beside the file.
  const known = new Set(all.flatMap((file) => file.split(path.sep).map((_, index, parts) => parts.slice(index).join('/'))));
  const found = all.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        (COMMENT.test(line) ? (line.match(FILE) ?? []) : []).map((named) => ({ named, at: `${file}:${index + 1}` })),
      )
      .flatMap(({ named, at }) => (known.has(named) ? [] : [`${at}: ${named}`])),
  );
  expect(found).toEqual([]);
});

test.each([
  ['(design \u00a73.1)', true],
  ['* \u00a75.18). Every replica', true],
  ['the behaviour\u002dreference says so', true],
  ['specification\u00204.3', true],
  ['see RFC 9113 \u00a78.7', false],
  ['the design of the schema', false],
])('%s', (line, expected) => {
  expect(citesTheUnknown(line)).toBe(expected);
});
