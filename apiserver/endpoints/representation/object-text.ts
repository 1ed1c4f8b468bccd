/**
 * Builds an object's text from pieces: kind and apiVersion, then the stored members. Most stored bytes are views, which
 * are copied only when they are sent. As in upstream, the members of custom objects are sorted by name, while their stored
 * bytes begin with the metadata. Parses no values.
 */
import { compareBytes } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import { mayHaveMembersBeforeMetadata } from '../../registry/object/hidden-fields';
import { customHead, membersAfterMetadata, metadataMember, objectHead } from './entry-json';
import { sortedMetadata } from './sorted-metadata';

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');

/** Builds the text of objects of one kind and `apiVersion`. */
export class ObjectText {
  /** `{"kind":"Lease","apiVersion":"…",` */
  readonly head: string;
  private readonly headBytes: Buffer;
  private readonly identity: readonly Member[];

  constructor(
    private readonly row: KindRow,
    apiVersion: string,
  ) {
    const { kind, custom } = row;
    this.head = custom === undefined ? objectHead(kind, apiVersion) : customHead(kind, apiVersion);
    this.headBytes = Buffer.from(this.head);
    this.identity = [member('apiVersion', apiVersion), member('kind', kind)];
  }

  /**
   * The pieces of an encoded entry. `body` is its body for the response. `sortMetadata` returns the metadata member of a
   * custom object's body in sorted order, with the same length; its result may come from a cache.
   */
  pieces(body: Buffer, entry: Entry, sortMetadata: (body: Buffer) => Buffer = sortedMember): readonly Buffer[] {
    const { custom } = this.row;
    if (custom === undefined) return [this.headBytes, body.subarray(1)];
    const metadata = sortMetadata(body);
    const membersAfter = body.subarray(1 + metadata.length);
    return mayHaveMembersBeforeMetadata(custom, entry)
      ? this.withEarlyMembers(metadata, membersAfter)
      : [this.headBytes, metadata, membersAfter];
  }

  /**
   * Moves members that sort before `metadata` to the front. The members after the metadata are sorted, so these are
   * the first of them.
   */
  private withEarlyMembers(metadata: Buffer, membersAfter: Buffer): readonly Buffer[] {
    const early: Member[] = [...this.identity];
    let laterMembers = membersAfter;
    for (const candidate of membersAfterMetadata(membersAfter)) {
      if (compareBytes(candidate.name, 'metadata') > 0) break;
      early.push(candidate);
      laterMembers = candidate.rest;
    }
    early.sort((a, b) => compareBytes(a.name, b.name));
    return [Buffer.concat([OPEN, ...early.flatMap(({ text }) => [text, COMMA])]), metadata, laterMembers];
  }
}

/** The metadata member of a custom object's body in sorted order. */
const sortedMember = (body: Buffer): Buffer => sortedMetadata(metadataMember(body));

interface Member {
  readonly name: string;
  /** Name and value. */
  readonly text: Buffer;
}

function member(name: string, value: string): Member {
  return { name, text: Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`) };
}
