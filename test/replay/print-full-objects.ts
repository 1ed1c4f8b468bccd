/**
 * Prints an object of every kind with every member set, a line each, for a program that encodes them with the reference's own library:
 *   node deploy/scripts/run.mjs test/replay/print-full-objects.js | <encoder> > test/replay/answers/objects/messages.jsonl
 * The encoder answers with a list of texts per object: apiVersion, kind, and the first 16 hexadecimal digits of the SHA-256 of the protobuf bytes and
 * of the JSON text. every-kind.test.ts of shared/serialization compares ours.
 */
import { apiVersionOf } from '../../shared/api/identity/identity';
import { STORED_KINDS } from '../../shared/api/kinds';
import { decodeObject, encodeBody } from '../../shared/api/types';
import { apiVersionInDialect } from '../../shared/names/dialect';
import { fullObjectOf } from '../support/full-object';

for (const row of STORED_KINDS) {
  const apiVersion = apiVersionInDialect('kubernetes', apiVersionOf(row));
  const body = encodeBody(row.type, decodeObject(row.type, fullObjectOf(row.type)).object);
  process.stdout.write(`{"kind":"${row.kind}","apiVersion":"${apiVersion}",${body.slice(1)}\n`);
}
