/**
 * Reads one member of a zip archive. Supports neither zip64 nor encryption, which the archives of the generator do not
 * use.
 */
import { inflateRawSync } from 'node:zlib';

/** The record at the end of an archive: its signature, its size without a comment, and offsets in it. */
const END = { signature: 0x06054b50, bytes: 22, entryCount: 10, directory: 16 };
/** An entry of the directory: its signature, its size without texts, and offsets in it. Its texts follow it. */
const ENTRY = {
  signature: 0x02014b50,
  bytes: 46,
  method: 10,
  packedSize: 20,
  nameLength: 28,
  extraLength: 30,
  commentLength: 32,
  localHeader: 42,
};
/** The header before the data of a member: its size without texts, and offsets in it. Its texts follow it. */
const LOCAL = { bytes: 30, nameLength: 26, extraLength: 28 };
/** The method of a member that is not compressed. */
const STORED = 0;

/** The bytes of the member; throws when the archive has no such member. */
export function readZipMember(archive: Buffer, name: string): Buffer {
  let end = archive.length - END.bytes;
  while (end >= 0 && archive.readUInt32LE(end) !== END.signature) end -= 1;
  if (end < 0) throw new Error('not a zip archive: no end of directory');
  let entry = archive.readUInt32LE(end + END.directory);
  for (let remaining = archive.readUInt16LE(end + END.entryCount); remaining > 0; remaining -= 1) {
    if (archive.readUInt32LE(entry) !== ENTRY.signature) throw new Error('broken zip directory');
    const nameStart = entry + ENTRY.bytes;
    const nameEnd = nameStart + archive.readUInt16LE(entry + ENTRY.nameLength);
    if (archive.toString('utf8', nameStart, nameEnd) === name) return unpack(archive, entry);
    entry = nameEnd + archive.readUInt16LE(entry + ENTRY.extraLength) + archive.readUInt16LE(entry + ENTRY.commentLength);
  }
  throw new Error(`no member ${name} in the zip archive`);
}

/** The bytes of the member that the directory entry describes. */
function unpack(archive: Buffer, entry: number): Buffer {
  const local = archive.readUInt32LE(entry + ENTRY.localHeader);
  const start = local + LOCAL.bytes + archive.readUInt16LE(local + LOCAL.nameLength) + archive.readUInt16LE(local + LOCAL.extraLength);
  const packed = archive.subarray(start, start + archive.readUInt32LE(entry + ENTRY.packedSize));
  return archive.readUInt16LE(entry + ENTRY.method) === STORED ? packed : inflateRawSync(packed);
}
