/**
 * Reads one member of a zip archive. Supports neither zip64 nor encryption, which the archives of the generator do not
 * use.
 */
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

/** The bytes of the member; throws when the archive has no such member. */
export function readZipMember(archive: Buffer, name: string): Buffer {
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  if (end < 0) throw new Error('not a zip archive: no end of directory');
  let entry = archive.readUInt32LE(end + 16);
  for (let remaining = archive.readUInt16LE(end + 10); remaining > 0; remaining -= 1) {
    if (archive.readUInt32LE(entry) !== DIRECTORY_ENTRY) throw new Error('broken zip directory');
    const nameLength = archive.readUInt16LE(entry + 28);
    if (archive.toString('utf8', entry + 46, entry + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(entry + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const packed = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
      return archive.readUInt16LE(entry + 10) === 0 ? packed : inflateRawSync(packed);
    }
    entry += 46 + nameLength + archive.readUInt16LE(entry + 30) + archive.readUInt16LE(entry + 32);
  }
  throw new Error(`no member ${name} in the zip archive`);
}
