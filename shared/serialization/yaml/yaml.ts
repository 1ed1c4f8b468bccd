/**
 * Parses YAML bodies. A body that begins with `{` is parsed as JSON first, because clients often send JSON as YAML and
 * JSON is parsed fifty times faster. Large bodies are parsed in worker threads with a time limit, so that they do not
 * block the event loop.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../runtime/clock';
import { startThread } from '../../scheduling/worker-thread';
import { parseJson, type ParsedText } from '../json/strict-json';
import { ParseError } from '../json/parse-error';
import { composeYaml } from './yaml-document';
import { YamlPool } from './yaml-pool';

/**
 * In characters. Parsing a text of this length takes up to 3 ms. The time of a longer one is not proportional to its
 * length: it may be ten times that.
 */
const MAX_INLINE_LENGTH = 8 * 1024;
/**
 * Exists only in the built program: code that runs from sources (tests), or in a worker thread of another kind, parses
 * all texts inline.
 */
const WORKER_FILE = join(__dirname, 'yaml-worker.js');
/** Heap limit of a worker thread, which parses one document at a time. */
const MEMORY_MB = 256;
const OPEN_BRACE = 0x7b;

const pool = new YamlPool(() => startThread(WORKER_FILE, MEMORY_MB));

/**
 * Parses the first document. Rejects with ParseError, with upstream's message (it begins with `yaml: `, except for values
 * and keys that JSON does not have), or with a StatusError 429 when too many large documents wait.
 */
export async function parseYaml(bytes: Uint8Array, clock: Clock): Promise<ParsedText> {
  const json = tryJson(bytes);
  if (json !== undefined) return json;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = decodeText(buffer);
  const isLarge = text.length > MAX_INLINE_LENGTH && isMainThread && existsSync(WORKER_FILE);
  const document = isLarge ? await pool.parse(text, clock) : composeYaml(text);
  return { value: document.value, format: 'yaml', duplicates: document.duplicates, literals: undefined, text: undefined };
}

type Utf16Encoding = 'utf-16le' | 'utf-16be';

/** By the byte order mark in hexadecimal. */
const UTF16_BY_BOM: ReadonlyMap<string, Utf16Encoding> = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/** Decodes UTF-8, or UTF-16 with a byte order mark. A next-line character (U+0085) ends a line, as in YAML 1.1. */
function decodeText(bytes: Buffer): string {
  const wide = UTF16_BY_BOM.get(bytes.subarray(0, 2).toString('hex'));
  if (wide === undefined && !isUtf8(bytes)) throw new ParseError('yaml: invalid leading UTF-8 octet');
  const text = wide === undefined ? bytes.toString('utf8').replace(/^\ufeff/, '') : decodeUtf16(bytes, wide);
  return text.replaceAll('\u0085', '\n');
}

function decodeUtf16(bytes: Buffer, encoding: Utf16Encoding): string {
  if (bytes.length % 2 === 1) throw new ParseError('yaml: incomplete UTF-16 character');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ParseError('yaml: expected low surrogate area');
  }
}

/**
 * `undefined` for a text that is not JSON, and for JSON with duplicate members: the YAML parser reports them with their
 * lines, as upstream does.
 */
function tryJson(bytes: Uint8Array): ParsedText | undefined {
  if (bytes[0] !== OPEN_BRACE) return undefined;
  try {
    const parsed = parseJson(bytes);
    return parsed.duplicates.length === 0 ? { ...parsed, literals: undefined, format: 'yaml' } : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
