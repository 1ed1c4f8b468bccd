/**
 * Records what the reference server makes of YAML texts that are rare:
 *   node deploy/scripts/run.mjs test/replay/yaml.js
 * All are dry runs. The bodies are bytes, in base64 where they are no UTF-8. yaml-answers.test.ts replays the recording.
 */
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Json } from './reference';

const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All&fieldValidation=Ignore';
const HEAD = 'apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: x}\nrevision: 1\ndata:\n';
const LONG = 'k'.repeat(1100);

const quoted = (escapes: string): string => `  a: "${escapes}"\n`;

/** What stands below `data`. */
const TEXTS: Readonly<Record<string, string>> = {
  'key of 1,100 characters': `  ${LONG}: v\n`,
  'key of 1,100 characters, quoted': `  "${LONG}": v\n`,
  'key of 1,100 characters, in single quotes': `  '${LONG}': v\n`,
  'key of 1,100 characters, in braces': `  a: {${LONG}: v}\n`,
  'key of 1,100 characters, quoted, in braces': `  a: {"${LONG}": v}\n`,
  'key of 1,100 characters, marked': `  ? ${LONG}\n  : v\n`,
  'key of 1,024 characters': `  ${'k'.repeat(1024)}: v\n`,
  'key of 1,025 characters': `  ${'k'.repeat(1025)}: v\n`,
  'key of 1,024 characters, quoted': `  "${'k'.repeat(1022)}": v\n`,
  'key of 600 two-byte characters': `  ${'é'.repeat(600)}: v\n`,
  'value of 1,100 characters': `  a: ${LONG}\n`,
  'every escape': quoted('\\0\\a\\b\\t\\n\\v\\f\\r\\e\\"\\\\\\N\\_\\L\\P\\x41\\u0042\\U00000043'),
  'escaped slash': quoted('a\\/b'),
  'escaped space': quoted('a\\ b'),
  'escaped tab': quoted('a\\\tb'),
  'escaped line': quoted('a\\\n    b'),
  'no hexadecimal digits': quoted('\\xZZ'),
  'too few hexadecimal digits': quoted('\\u00'),
  surrogates: quoted('\\ud83d\\ude00'),
  'half a surrogate': quoted('\\ud83d'),
  'beyond the last character': quoted('\\U00110000'),
  'the last character': quoted('\\U0010FFFF'),
  'next line, in quotes': quoted('x\u0085y'),
  'next line, in single quotes': "  a: 'x\u0085y'\n",
  'next line, in a plain text': '  a: x\u0085    y\n',
  'next line, after a value': '  a: x\u0085  b: z\n',
  'next line, in a block': '  a: |\n    x\u0085    y\n',
  'next line, in a comment': '  a: x # c\u0085  b: z\n',
  'line separator, in quotes': quoted('x\u2028y'),
  'integer that is none': '  a: !!int x\n',
  'integer in quotes': '  a: !!int "5"\n',
  'integer that is a float': '  a: !!int 5.5\n',
  'float that is none': '  a: !!float x\n',
  'float that is an integer': '  a: !!float 5\n',
  'boolean that is none': '  a: !!bool x\n',
  'boolean that is a number': '  a: !!bool 1\n',
  'null that is none': '  a: !!null x\n',
  'null that is empty': '  a: !!null\n',
  'integer that is empty': '  a: !!int\n',
  'text that is a number': '  a: !!str 5\n',
  'text that is empty': '  a: !!str\n',
  binary: '  a: !!binary aGFsbG8=\n',
  'binary in a block': '  a: !!binary |\n    aGFs\n    bG8=\n',
  'binary that is none': '  a: !!binary "%%"\n',
  'binary that is cut off': '  a: !!binary aGFsbG8\n',
  'map with a tag of texts': '  a: !!str {b: c}\n',
  'list with a tag of maps': '  a: !!map [b]\n',
  'key that is null': '  ~: a\n',
  'key that is null, of a number': '  ~: 5\n',
  'key that is a list': '  [a]: b\n',
  'key that is a map': '  {a: b}: c\n',
  'key that is missing': '  : c\n',
  'key that is missing, in braces': '  a: {: c}\n',
  'key that is missing, marked': '  ?\n  : c\n',
  'key in quotes that is empty': '  "": c\n',
  'indentation of nothing': '  a: |0\n    x\n',
  'a byte of nothing': quoted('x\u0000y'),
};

const WHOLE: Readonly<Record<string, Buffer<ArrayBuffer>>> = {
  'little-endian UTF-16': Buffer.from(`\ufeff${HEAD}  a: é\n`, 'utf16le'),
  'big-endian UTF-16': Buffer.from(`\ufeff${HEAD}  a: é\n`, 'utf16le').swap16(),
  'half a UTF-16': Buffer.concat([Buffer.from(`\ufeff${HEAD}  a: é`, 'utf16le'), Buffer.from([0x0a])]),
  'UTF-16 with half a surrogate': Buffer.from(`\ufeff${HEAD}  a: \ud83d b\n`, 'utf16le'),
  'another version of YAML': Buffer.from(`%YAML 2.0\n---\n${HEAD}  a: b\n`),
  'YAML 1.2': Buffer.from(`%YAML 1.2\n---\n${HEAD}  a: b\n`),
};

async function record(name: string, body: Buffer<ArrayBuffer>): Promise<unknown> {
  const { bytes } = await ask('POST', PATH, { 'content-type': 'application/yaml' }, body);
  const sent = name in WHOLE ? { base64: body.toString('base64') } : { body: body.toString() };
  const value: Json = JSON.parse(bytes.toString());
  if (!isBody(value)) throw new Error(`no object: ${bytes.toString()}`);
  if (value['kind'] !== 'Status') return { name, ...sent, value: value['data'] ?? null };
  const { message } = value;
  const [, fault] =
    /^the object provided is unrecognized \(must be of type ControllerRevision\): (.*) \([0-9a-f]* \.\.\.\)$/s.exec(
      typeof message === 'string' ? message : '',
    ) ?? [];
  return { name, ...sent, fault: fault ?? message };
}

async function main(): Promise<void> {
  const bodies = [...Object.entries(TEXTS).map(([name, text]) => [name, Buffer.from(HEAD + text)] as const), ...Object.entries(WHOLE)];
  const lines: unknown[] = [];
  for (const [name, body] of bodies) lines.push(await record(name, body));
  writeRecording('values/yaml-rare', lines);
  hangUp();
}

void main();
