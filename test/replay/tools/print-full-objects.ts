/**
 * Prints an object of every kind with every member set, one per line, for a program that encodes them with the library
 * of the reference server:
 *   node deploy/scripts/run.mjs test/replay/tools/print-full-objects.js | <encoder> > test/replay/answers/objects/messages.jsonl
 * For each object the encoder prints a list of texts: apiVersion, kind, and the first 16 hexadecimal digits of the
 * SHA-256 of the protobuf bytes and of the JSON text. every-kind.test.ts of shared/serialization compares ours.
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { STORED_KINDS } from '../../../shared/api/kinds';
import { decodeObject, encodeBody } from '../../../shared/api/types';
import { apiVersionInDialect } from '../../../shared/names/dialect';
import { fullObjectOf } from '../../support/objects/full-object';

for (const row of STORED_KINDS) {
  const apiVersion = apiVersionInDialect('kubernetes', apiVersionOf(row));
  const body = encodeBody(row.type, decodeObject(row.type, fullObjectOf(row.type)).object);
  // The body begins with a brace.
  process.stdout.write(`{"kind":"${row.kind}","apiVersion":"${apiVersion}",${body.slice(1)}\n`);
}
