/**
 * Checks the words of names and comments: CONTRIBUTING asks for the terms of Kubernetes, etcd, HTTP and TypeScript.
 * Each row of the tables is a word that has a better one in this code, with that better one. Names are checked where
 * they are declared, so members of other packages are free. `node deploy/scripts/vocabulary.mjs [--count] [PATH…]`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import ts from 'typescript';
import { root } from './repository.mjs';

/** Words of a name, in any position. */
const WORDS_IN_NAMES = {
  tell: 'log, record, observe, warn, notify',
  tells: 'logs, records, notifies',
  told: 'logged, recorded, notified',
  say: 'log, format, respond',
  says: 'states, reports',
  said: 'reported, message',
  settle: 'a verb of its own: resolve, await, confirm',
  settles: 'resolves, awaits',
  settled: 'resolved, confirmed',
  wish: 'desired, recommendation, spec',
  wishes: 'desired, recommendations, spec',
  wished: 'desired, requested',
  birth: 'creation, create input',
  keeper: 'owner, reconciler, holder',
  whose: 'the noun',
  who: 'user, client, owner',
  whoever: 'user, client, owner',
  nobody: 'unused, unowned',
  somebody: 'user, client',
  begun: 'started, in progress',
  meant: 'desired, expected, target',
  gone: 'deleted, missing, closed',
  anew: 'again, re…',
  upkeep: 'reconcile',
  aught: 'anything',
};

/** Whole names: too general to be understood without their neighbours. */
const WHOLE_NAMES = {
  place: 'namespacedName, path, location, index',
  places: 'paths, locations',
  way: 'url, path, mode',
  ways: 'paths, modes',
  what: 'the noun: request, message, resource',
  one: 'the noun, or a and b in a comparison',
  found: 'the noun: match, object, existing',
  taken: 'used, acquired, allocated',
  free: 'release, available',
  all: 'the noun: all of which objects',
  looks: 'a verb of its own: inspect, matches',
  look: 'inspect, find, read',
  keep: 'retain, store, preserve',
  hand: 'the noun',
  handOn: 'forward, proxy',
};

/**
 * Words of comments: the subject of a sentence is a component, a request or a user, and statements have a verb of
 * their own.
 */
const VOICE =
  /\b(who|whom|whose|whoever|whomever|nobody|somebody|someone|everybody|anybody|those who|he|she|his|him|tells?|told|telling|says?|said|saying|settles?|settled|wish|wishes|wished|birth|anew|aught|none the less|has gone|have gone|is gone|are gone|was gone|gives? way|goes? by|looks? into|hands? on|handed on|knows? nothing|asks? nothing|no more and no less)\b/i;

const isCounting = process.argv.includes('--count');

const FOLDERS = ['apiserver', 'controllers', 'shared', 'deploy', 'test'];

/** Recorded or generated text, and this table of words itself. */
const UNCHECKED = /(^|\/)(generated|answers|node_modules|dist)(\/|$)|deploy\/scripts\/vocabulary\.mjs$/;

const wordsOf = (name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_$-]+/);

/** What looks like a comment, also inside of strings: a quick test that spares most files the precise one. */
const COMMENT_LIKE = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/**
 * `findings` of one file: first those in names, whose number is `names`, then those in comments. `comments` is the number
 * of all comments that were read; it is complete only with --count.
 */
function findingsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const findings = [];
  const visit = (node) => {
    const name = declaredName(node);
    if (name !== undefined) {
      const advice = adviceFor(name.text);
      if (advice !== undefined) findings.push({ file, line: lineAt(name.getStart(source)), text: name.text, advice });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const names = findings.length;
  let comments = 0;
  const mayHaveVoice = isCounting || (text.match(COMMENT_LIKE) ?? []).some((comment) => VOICE.test(comment));
  for (const { start, value } of mayHaveVoice ? commentsOf(source, text) : []) {
    comments += 1;
    const match = VOICE.exec(withoutQuotations(value));
    if (match) findings.push({ file, line: lineAt(start + match.index), text: match[0], advice: 'a plain sentence' });
  }
  return { findings, names, comments };
}

function declaredName(node) {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node) ||
    ts.isNamedTupleMember(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function adviceFor(name) {
  if (Object.hasOwn(WHOLE_NAMES, name)) return WHOLE_NAMES[name];
  const word = wordsOf(name).find((part) => Object.hasOwn(WORDS_IN_NAMES, part.toLowerCase()));
  return word === undefined ? undefined : WORDS_IN_NAMES[word.toLowerCase()];
}

/** Values and identifiers in backticks are quotations. Keeps positions. */
const withoutQuotations = (comment) => comment.replaceAll(/`[^`\n]*`/g, (quotation) => ' '.repeat(quotation.length));

/** Each comment once; neighbouring `//` lines count one by one. */
function commentsOf(source, text) {
  const seen = new Map();
  const add = (ranges) => {
    for (const { pos, end } of ranges ?? []) seen.set(pos, { start: pos, value: text.slice(pos, end) });
  };
  const visit = (node) => {
    add(ts.getLeadingCommentRanges(text, node.getFullStart()));
    add(ts.getTrailingCommentRanges(text, node.getEnd()));
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...seen.values()];
}

function filesIn(name) {
  const absolute = path.join(root, name);
  const files = statSync(absolute).isFile() ? [name] : readdirSync(absolute, { recursive: true }).map((file) => path.join(name, file));
  return files.filter((file) => /\.(ts|mjs)$/.test(file) && !UNCHECKED.test(file) && statSync(path.join(root, file)).isFile());
}

function main() {
  const args = process.argv.slice(2);
  const paths = args.filter((argument) => !argument.startsWith('--'));
  const files = (paths.length > 0 ? paths : FOLDERS).flatMap(filesIn);
  const results = files.map((file) => ({ file, ...findingsOf(file, readFileSync(path.join(root, file), 'utf8')) }));
  const findings = results.flatMap((result) => result.findings);
  if (args.includes('--count')) {
    const sum = (key) => results.reduce((total, result) => total + result[key], 0);
    process.stdout.write(
      `${files.length} files, ${sum('names')} names, ${findings.length - sum('names')} of ${sum('comments')} comments\n`,
    );
    return;
  }
  for (const { file, line, text, advice } of findings) process.stdout.write(`${file}:${line} ${text}: write ${advice}\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

main();
