/**
 * Checks README.md, ARCHITECTURE.md, CONTRIBUTING.md and the documents below docs: every relative link leads to a file,
 * and a link with an anchor to a heading of a document; every `npm run` names a script of package.json; and every path
 * below docs in backticks exists. Links and paths in code blocks are not checked, and links to other sites are not
 * followed. Prints a line for each fault, and ends with exit code 1 when there is any: `node
 * deploy/scripts/documents.mjs`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './repository.mjs';

/** A code block between fences. */
const FENCED = /^(`{3,})[^\n]*\n[\s\S]*?^\1`*$/gm;
const HEADING = /^#{1,6} +(.+)$/gm;
const LINK = /\[[^\]]*\]\(([^()\s]+)\)/g;
const ABSOLUTE_LINK = /^[a-z][a-z+.-]*:/i;
const NPM_SCRIPT = /\bnpm run (?:-s )?([a-z][\w:-]*)/g;
const DOCUMENT_PATH = /`(docs\/[\w./-]*)`/g;

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const exists = (file) => existsSync(path.join(root, file));
/** What the first group of the pattern matches. */
const matchesOf = (text, pattern) => [...text.matchAll(pattern)].map(([, match]) => match);

const scripts = JSON.parse(read('package.json')).scripts;

function documents() {
  const files = readdirSync(path.join(root, 'docs'), { recursive: true }).map((file) => path.join('docs', file));
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...files.filter((file) => file.endsWith('.md'))];
}

/** The anchors that GitHub gives to the headings of a document: repeated ones are numbered. */
function anchorsOf(text) {
  const counts = new Map();
  return matchesOf(text.replace(FENCED, ''), HEADING).map((heading) => {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function anchorOf(heading) {
  const text = heading.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Why the link in the file is broken; `undefined` when it is not. */
function linkFault(file, link) {
  if (ABSOLUTE_LINK.test(link)) return undefined;
  const [name, anchor] = link.split('#', 2);
  const target = name === '' ? file : path.join(path.dirname(file), decodeURIComponent(name));
  if (!exists(target)) return `${link}: no such file`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchorsOf(read(target)).includes(anchor) ? undefined : `${link}: heading not found`;
}

function faultsOf(file) {
  const text = read(file);
  const prose = text.replace(FENCED, '');
  const links = matchesOf(prose, LINK).map((link) => linkFault(file, link));
  const missingScripts = matchesOf(text, NPM_SCRIPT).map((name) =>
    Object.hasOwn(scripts, name) ? undefined : `npm run ${name}: script not found`,
  );
  const missingPaths = matchesOf(prose, DOCUMENT_PATH).map((name) => (exists(name) ? undefined : `${name}: path not found`));
  return [...links, ...missingScripts, ...missingPaths].filter((fault) => fault !== undefined).map((fault) => `${file}: ${fault}`);
}

const faults = documents().flatMap(faultsOf);
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
