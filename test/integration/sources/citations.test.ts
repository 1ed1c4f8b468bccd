/**
 * Comments must be understandable with this repository and public documents alone: they cite sections only of public
 * documents, by name and on the same line (RFC 9113, KEP-1623), and name only existing source files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const FOLDERS = ['apiserver', 'controllers', 'shared', 'deploy', 'test'];
const SOURCE = /\.(?:ts|mjs|cjs)$/;

/** A section sign. Written as an escape, so that this file does not match. */
const SECTION = /\u00a7/;
/** The number of a public document. */
const PUBLIC = /\b(?:RFC \d|KEP-\d)/;
/** Names of documents that are not part of the repository, with `.md` or the number of a section. */
const UNAVAILABLE = /behaviour[-]reference|\b(?:design|specification|libraries)(?:[.]md\b| \d)/i;

const citesUnavailableDocument = (line: string): boolean => UNAVAILABLE.test(line) || (SECTION.test(line) && !PUBLIC.test(line));

function listSources(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => SOURCE.test(file))
      .map((file) => path.join(folder, file)),
  );
}

test('no source cites a document that its reader does not have', () => {
  const violations = listSources().flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (citesUnavailableDocument(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(violations).toEqual([]);
});

/** A line that begins as a comment, or as a further line of one. */
const COMMENT = /^\s*(?:\/?\*|\/\/)/;
/** The name of a source file with the folders before it; not the end of a longer path, of a pattern or of a package. */
const FILE = /(?<![\w./@<*-])(?:[\w-]+\/)*[\w-]+\.(?:ts|mjs)\b/g;

test('no comment names a source file that does not exist', () => {
  const files = listSources();
  // A comment may shorten the path of a file to its last parts.
  const existingPaths = new Set(files.flatMap((file) => file.split(path.sep).map((_, index, parts) => parts.slice(index).join('/'))));
  const missing = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        (COMMENT.test(line) ? (line.match(FILE) ?? []) : []).map((named) => ({ named, location: `${file}:${index + 1}` })),
      )
      .flatMap(({ named, location }) => (existingPaths.has(named) ? [] : [`${location}: ${named}`])),
  );
  expect(missing).toEqual([]);
});

test.each([
  ['(design \u00a73.1)', true],
  ['* \u00a75.18). Every replica', true],
  ['the behaviour\u002dreference says so', true],
  ['specification\u00204.3', true],
  ['see RFC 9113 \u00a78.7', false],
  ['the design of the schema', false],
])('the line %j cites an unavailable document: %s', (line, expected) => {
  expect(citesUnavailableDocument(line)).toBe(expected);
});
